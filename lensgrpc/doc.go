// Package lensgrpc is the edge of a gRPC program: spans of a group around its calls, and trace context through them.
//
//	server := grpc.NewServer(lensgrpc.ServerOptions(groups.Server)...)
//
//	conn, err := grpc.NewClient(target, append(lensgrpc.DialOptions(groups.Client), credentials)...)
//
// Trace context and baggage go through both whichever groups are on: switching a group off takes its spans out of the
// trace and never cuts the trace in two. The caller gives the group, so that one switch of the program turns its gRPC
// spans on and off; a nil group is off.
//
// # Spans
//
// A span stands for one call, unary or streaming, whatever gRPC makes of it on the wire: attempts that gRPC repeats by
// itself are one span. It follows the stable OpenTelemetry conventions for RPC, is named "package.Service/Method", and has
// the name of the status code in rpc.response.status_code.
//
//   - A CLIENT span is an ERROR on every code but OK, the status message being its description. That of a stream ends when
//     the stream does: at the last Recv, or when its context is canceled. A stream that is simply dropped leaks in gRPC too.
//   - A SERVER span is an ERROR on UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE and DATA_LOSS; with the
//     others the caller made the mistake. A panic is recorded and goes on as it is; there is no status code then.
//   - lens.canceled says that the caller did not wait: "canceled" or "deadline_exceeded", on either side, whichever status
//     came of it.
//
// Messages and metadata never get onto a span.
//
// # Why interceptors
//
// gRPC has two places for this. A stats.Handler hears of more: attempts, bytes, calls of methods that do not exist. But it
// must be there for the whole life of a server or a connection, gRPC then makes an event with a time for every header,
// message and end, and copies the metadata of each call, also while nobody wants a span; and it cannot see a panic. An
// interceptor costs what it does: with its group off, reading the context, or writing it. That a client's interceptor does
// not see the end of a stream is no longer so: gRPC tells it (grpc.OnFinish), and streams of clients need not be wrapped.
//
// What follows from it: a SERVER span begins when the request has been read and ends before the answer is written, calls
// of unknown methods have none, and the order counts. Interceptors that come before these see no span in their context, and
// what they refuse has none. An interceptor that recovers panics hides them from those outside of it: give it to
// grpc.NewServer before these to have panics on spans, with it after these there is its status only.
//
// # Cost when off
//
// With the group off and nothing to read or write a call costs one small allocation on each side; with trace context it
// costs what the metadata costs, and on the server of a stream a wrapper that carries the new context.
//
// Everything is safe for concurrent use.
package lensgrpc
