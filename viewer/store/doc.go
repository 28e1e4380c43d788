// Package store keeps what OTLP programs sent, on disk, and finds a trace in it.
//
//	s, err := store.Open(dir, store.Options{MaxBytes: 2e9, MaxAge: 7 * 24 * time.Hour, Summary: model})
//	added, err := s.AddTraces(ctx, req) // an ExportTraceServiceRequest; on disk when it returns
//	t, err := s.Trace(id)               // all of its spans, wherever they are
//	err = s.Close(ctx)
//
// [OpenReadOnly] reads the folder of a viewer that runs, or has ended, from another process.
//
// # Files
//
// Everything in the folder is OTLP in zstd, and any tool reads it; there is no private format around the data:
//
//	zstd -dc traces-000000000000.zst | protoc --decode=opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest ...
//
// A segment, traces-N.zst, is a row of chunks. A chunk is a zstd frame of some requests, one behind the other, which protobuf
// reads as one, and a zstd skippable frame, the footer: numbers, times, checksums, hashes of the trace ids, and what the
// [Summary] says of the spans. A log, traces-N.open.zst, holds the requests that are in no segment yet, each as a chunk that is
// not compressed. Metrics and logs have files of their own kind. The newest chunks stay uncompressed in memory, and those that
// were read last. Beside the data are three small files: lock, address, and repeats, the hashes of the newest requests.
//
// # What is kept
//
// A request was written to the log when it is acknowledged: a process that is killed loses nothing. Logs are synced within a
// second of a change, so a power cut loses the last second. One goroutine compresses chunks and appends them to
// a segment; their log goes when the segment was synced. What was sealed is never written again.
//
// Start reads the footers alone, from which it makes an index of six bytes for a trace in a chunk, and then what is in logs.
// Damage costs the chunk that it is in, and no other: a file that was cut, bits that flipped, a page that was never written.
// What belongs to no whole chunk at the end of a file is moved to the folder "quarantine", what is in the middle stays and
// is passed over, both are counted in [Stats] and logged, and neither is an error. A frame that lost only its
// footer gets a new one.
//
// Retention removes whole segments, the oldest first. [Options] bounds the bytes of all files and the age of the data, counted
// from when it came. The log and the segment that grow are the least that stays.
//
// # Traces
//
// [Store.Trace] gives what was sent, whether it came late, out of order, without its parent, in a circle, or twice: spans
// with the id of another span and other content are all there and marked, those with equal content, resource and scope
// are there once and counted. No clock is corrected.
//
// # Requests that come again
//
// A sender whose answer was lost sends the same bytes once more. A request that is one of the newest 65,536 of its kind is
// acknowledged and counted in [Stats], and not kept again, if anything in it has a time. These are known after a restart too;
// after the end of a process that was killed, those that were in no segment. Beyond that, and where the same spans come in another
// request, copies are kept: [Store.Trace] leaves them out, and a [Summary] tells them apart as far as it remembers.
//
// # Concurrency
//
// All methods may be called at any time from any goroutine. Readers see a state that does not change, and never wait for
// writers, the disk of the writer, or retention. Writers wait when sealing is far behind, as long as their context lets
// them. One process at a time writes to a folder; the next one gets a [*LockedError] that names it. The folder is
// 0700 and its files are 0600: prompts and answers may be in them.
package store
