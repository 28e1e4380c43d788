// Package viewer puts the rooms of the local viewer together: it receives OTLP from any program, keeps it in a folder, and
// serves a page and a JSON API over it, in one process and with nothing else to install.
//
//	v, err := viewer.Start(ctx, viewer.Options{Data: dir, Listen: "127.0.0.1:4319", OTLPHTTP: "127.0.0.1:4318", OTLPGRPC: "127.0.0.1:4317"})
//	...
//	fmt.Println(v.URL())
//	defer v.Shutdown(ctx)
//
// [Start] takes what is received; [View] opens files, or the folder of a viewer that does not run, for reading.
//
// # Guarantees
//
// What a sender was told is received is on disk. Readers never wait for the writer. The data folder is private to its user
// (0700), and so are the files in it (0600): spans hold what programs put on them. A port that is taken is an error that names
// its owner. Shutdown takes what is on its way, seals, and leaves no goroutine.
package viewer
