// Package carrier takes a trace to where no headers are: into the bytes of a message, into the environment of a child
// process, from one worker to all. What has headers or metadata needs nothing from here: see [lens.Inject], [lens.Header]
// and [lens.Map].
//
// # Bytes
//
// A frame of a protocol of one's own, a side channel of NCCL, a row of a table:
//
//	frame.Trace = carrier.Bytes(ctx)                // here
//	ctx = carrier.FromBytes(ctx, frame.Trace)       // and there
//
// # Child processes
//
//	cmd := exec.CommandContext(ctx, "evaluate", "--step", "120")
//	carrier.SetEnv(ctx, cmd)                        // TRACEPARENT, TRACESTATE, BAGGAGE
//
// and in a program that may be such a child, once, at its start:
//
//	ctx := carrier.FromEnv(context.Background())
//
// # One trace on all workers
//
//	ctx, err := carrier.Broadcast(ctx, comm, rank, 0)
//
// gives every worker of a job the trace of rank 0, over whatever collective the job has: see [Broadcaster].
//
// # Parent or link
//
// What comes out is a context, and in it the sender's span is the parent of the next one. Where a span should only point
// to the sender's, say one that works on many messages, take the reference out and give it as a link:
//
//	from := lens.RefFrom(carrier.FromBytes(context.Background(), frame.Trace))
//	ctx, span := batch.StartWith(ctx, "batch", lens.StartConfig{Links: []lens.Ref{from}})
//
// A reference that is not valid makes no link, so nobody has to look.
//
// # Guarantees
//
//   - What comes from outside cannot do harm: input that is missing, wrong or too long leaves its part of the context as it
//     was, and never is an error. Bytes have at most [MaxBytes].
//   - Nothing here is behind a group. Context passes whatever is on, so that a trace stays one; without telemetry in the
//     build (lens_off), too.
//   - Everything is safe for concurrent use, save for two calls of SetEnv with one command, and what [Broadcast] says. A nil
//     context is [context.Background].
//   - What is written is what [lens.Inject] writes: W3C trace context and baggage, unless the set-up chose another propagator.
//   - The bytes are those of Python's nemo.lens.contrib.nccl, and the broadcast is that of its broadcast_trace_context, so the
//     workers of one job may be written in either language.
package carrier
