// Package sandbox runs commands that nobody should trust: programs that a model wrote.
//
// A [Sandbox] is one place with files and processes of its own, made by a [Provider]: package local makes it out of Linux
// namespaces, package docker out of a container. It is started once, used, and stopped:
//
//	provider, err := local.New(local.Options{})
//	if err != nil {
//		return err
//	}
//	box := sandbox.New(provider, sandbox.Spec{Files: map[string]string{"main.py": program}})
//	defer box.Stop(ctx)
//	if err := box.Start(ctx); err != nil {
//		return err
//	}
//	result, err := box.Exec(ctx, sandbox.Command{Text: "python3 main.py", Stdin: input, Timeout: 10 * time.Second})
//
// # What an Exec says
//
// The error is for calls that could not be made: the sandbox was not started, the context ended. A [Result] is what became
// of the command. When the command has an exit code, ReturnCode is that, and 128 and the signal's number when a signal ended
// it. When it has none, because its time was over or the provider failed, ReturnCode is [RuntimeFailure] and ErrorType says
// why; look at ErrorType first, for a command may itself end with 125.
//
// # Guarantees
//
//   - Start returns when commands can be run, and with nothing left when it fails.
//   - Stop may be called at any time, twice, and with a context that is over. It always closes the provider.
//   - Operations open spans of the group sandbox and record the metrics gym.sandbox.*. Neither holds the text of a command,
//     the name of a file, or a value of an environment.
//   - A Sandbox is safe for concurrent use.
//
// What a sandbox protects from is its provider's matter: see the pages of local and docker, and docs/sandbox.md.
package sandbox
