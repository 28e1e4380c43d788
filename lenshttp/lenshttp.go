// Package lenshttp is the edge of a net/http program: [Handler] on the way in, [Transport] on the way out.
//
//	http.ListenAndServe(addr, lenshttp.Handler(groups.Server, mux))
//
//	client := &http.Client{Transport: lenshttp.Transport(groups.HTTPClient, nil)}
//
// Trace context and baggage go through both whichever groups are on: switching a group off takes its spans out of the
// trace and never cuts the trace in two. The caller gives the group, so that one switch of the program turns its HTTP
// spans on and off; a nil group is off.
//
// # Spans
//
// Spans follow the stable OpenTelemetry conventions for HTTP. A SERVER span is named "METHOD route" by the pattern that
// http.ServeMux found for the request, and "METHOD" when no pattern is known, never by the raw path; it is an ERROR on
// statuses from 500 on and on panics. A CLIENT span stands for one attempt, is named "METHOD", and is an ERROR when no
// answer came and on statuses from 400 on. It ends when the response headers are there: the conventions forbid to end it
// in the clean-up of a body that nobody read to its end, so the time it takes to read the body is not in it, and the body
// is the one that came, to stream from or, after an upgrade, to write to.
//
// lens.canceled says that the caller did not wait: on a SERVER span that the client was gone, or the deadline had passed,
// when the handler returned, whatever status it then wrote; on a CLIENT span that the request's own context ended before the
// answer came.
//
// Neither query nor user information nor fragment of an URL gets onto a span, and client.address is the peer of the
// connection: headers that a client may have made up (X-Forwarded-For) are not read.
//
// # Cost when off
//
// Handler with its group off and no headers of ours in the request allocates nothing and hands the request on as it is;
// with headers it costs what reading them costs. Transport with its group off and nothing to inject hands the request on
// as it is.
//
// # Parts
//
// Programs with rules of their own (one span around several attempts, other names, other statuses that are errors) build
// them from the parts: [Extract], [StartServer], [RecordServer]; [StartClient], [Inject], [RecordClient].
//
// Everything is safe for concurrent use.
package lenshttp

import (
	"context"
	"net/http"

	"github.com/lensgo/lens"
)

// Extract gives ctx with the trace context and the baggage of the headers. Bad or missing ones leave ctx as it is.
func Extract(ctx context.Context, h http.Header) context.Context {
	return lens.Extract(ctx, lens.Header(h))
}

// Inject writes the trace context and the baggage of ctx into the headers, in place of what they say.
func Inject(ctx context.Context, h http.Header) {
	lens.Inject(ctx, lens.Header(h))
}
