// Package fleet starts, watches and stops the server processes of a run: one operating system process for each
// instance of the configuration.
//
// The supervisor's side is [Start], which returns when every server has answered, [Fleet.Done], which tells that one of
// them died, and [Fleet.Stop]. The child's side is [Serve], behind the hidden verb "gym serve".
//
// What holds between the two sides:
//
//   - The listener is bound by the supervisor and handed down, so that no port is picked, released and lost to somebody
//     else. The supervisor closes its own copy once the child answers: after that a dead child refuses connections
//     instead of leaving them to hang. With restarts allowed it keeps the copy until it gives the child up, so that
//     connections wait in its queue for the next process.
//   - The configuration goes through an inherited pipe. Keys in it stay out of the process environment, and its size
//     is not bound by the 128 KiB that Linux allows for one environment value.
//   - A lifeline, a pipe whose write end only the supervisor holds, ends the child at EOF: also when the supervisor was
//     killed and could not say goodbye.
//   - Each child leads its own process group, so that Ctrl-C in a terminal reaches the supervisor alone, which lets
//     running rollouts finish before it stops anybody.
//
// Servers of other programs ([External]) know nothing of this: they get the configuration by their environment, bind the
// port that is held for them, and run under [Guard], behind the hidden verb "gym guard", which holds the lifeline and leaves
// nothing of them behind.
//
// A fleet may also be [Options].Fused: servers in the supervisor's own process, which calls reach by [wire.Local].
//
// [StartHead] tells drivers what runs, [State] lets the user's other commands find it.
//
// Telemetry settings reach children through the environment only (package gym/telemetry writes it before Start).
// On Windows, where listeners cannot be handed down this way, Start returns [ErrPlatform].
package fleet
