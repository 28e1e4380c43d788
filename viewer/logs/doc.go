// Package logs finds the log records of a trace and of a run in a store, and counts them.
//
//	m := logs.NewModel()
//	s, err := store.Open(dir, store.Options{Logs: m}) // indexes each chunk by the traces and runs that are in it
//	n := m.Counts("demo-1130-1402")                   // without a look into the store
//	page, err := logs.Run(ctx, s, logs.Query{Run: "demo-1130-1402", Least: logs.Error, Text: "timeout"})
//	err = logs.Trace(ctx, s, id, func(r logs.Record) error { ... })
//
// The run of a record is nemo.run.id of its resource. Which chunks hold records of a trace or a run is part of the files, so that
// neither a search nor a restart decodes other chunks. Chunks that were written without a [Model] are searched too.
//
// A record is returned as it was sent. What no severity number says is read from the severity text.
//
// # Concurrency
//
// The store writes to the model; any number of goroutines read, and hold the writer up for a look into a map. Searching waits for no
// writer, and sees the records that were there when it began.
package logs
