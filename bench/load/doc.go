// Package load makes OTLP trace requests as programs send them, quickly enough that making them is not what is measured.
//
//	stock, err := load.NewStock(load.Gym)             // some waves of requests, encoded once
//	source := load.NewSource(stock, load.Options{Run: "bench"})
//	sender, err := load.DialHTTP(endpoint, load.Protobuf)
//	stats, err := load.Drive(ctx, source, load.Senders{sender, sender2}, load.Until{For: time.Second})
//
// Requests have 512 spans, as the batch of an OpenTelemetry SDK. A [Stock] holds a few waves of them in protobuf and in JSON, with
// the places of what must differ from wave to wave: trace ids, times, the run, rollout ids and task numbers. A [Source] copies
// a request and writes there, which costs a few nanoseconds a span. No two waves have a trace in common, and a chunk of a store
// sees no request twice, so that compression has no easier work than with real traffic.
//
// [Gym] is what a run of Gym sends: rollouts of 13 spans over four processes, each process with its own requests, children before
// their parents. [Generic] is what any other server sends: traces of 16 spans with 8 attributes, 256 of them at a time.
package load
