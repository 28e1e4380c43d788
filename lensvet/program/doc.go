// Package program reads a whole Go program, without running it, and says what it can tell about itself: the span groups
// that it makes, who registers them under which namespace and in which presets, and every place that uses them.
//
//	p, err := program.Load(ctx, ".", []string{"./cmd/server"}, program.Options{})
//	if err != nil {
//		return err
//	}
//	err = p.WriteMarkdown(os.Stdout) // the tables of a library's page on observability
//	for _, f := range p.Check() { ... }
//	fmt.Println(p.Resolve("default,sandbox").Unknown)
//
// # What is read
//
// [Load] asks the go command for the packages that the patterns name and for all that these import, as a build for this
// system would: a file that a build constraint leaves out is not there, and neither are tests. Packages from which lens
// can be reached are type-checked from source, the others are known from what the compiler exported. It needs the go
// command, and the program's dependencies on disk.
//
// A package that does not compile is in [Program.Problems]; what can be made out of it is listed all the same, and
// [Load] fails only when there is nothing to read.
//
// # How handles are followed
//
// A handle is followed from NewGroup through package variables, local variables, struct fields, slices, arrays and maps,
// and through the results of functions that are called by name, to where it is used. Order does not count: a variable has
// every handle that is ever assigned to it, and a slice has all of its elements. Followed so are also registries, lists
// of names and values of [lens.Library]: they may be put together over several statements, in several functions.
//
// Where a handle is passed to a function, stored in a field or returned, it counts as used there: what the other side does
// with it is not put down to the group. So a helper that starts spans of the group that it is given makes a call site of
// each of its callers, which is where a reader wants to look.
//
// A name that is no constant makes a group dynamic. Its [Group.Name] is then a pattern, in which * stands for what only the
// running program knows: NewGroup("layer_" + kind) is layer_*.
//
// What is registered under a condition, replaced or unregistered later is listed as registered.
//
// [lens.Library]: https://pkg.go.dev/github.com/lensgo/lens#Library
package program
