// Package w3c reads and writes W3C trace context, level 2 (https://www.w3.org/TR/trace-context-2/): the values of the
// headers traceparent and tracestate, and nothing else of HTTP or OpenTelemetry. [Baggage] is a baggage header that is
// passed on as it came.
//
// It is strict where the specification is: a value that breaks the grammar is an error that says which part is wrong,
// and the caller starts a new trace. It is lenient only where the specification asks for it: blanks around a value, an
// empty list member, a tail after a future version, a flag that has no meaning yet.
//
//	parent, err := w3c.ParseTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
//	state, err := w3c.ParseTracestate("foo=1,bar=2", "baz=3") // one argument a header line
//	header := parent.String()
//	list := state.With("lens", "x").String()                  // "lens=x,foo=1,bar=2,baz=3"
//
// [Tracestate] is a list of its own because [go.opentelemetry.io/otel/trace.TraceState] has the grammar of level 1: it
// refuses keys that level 2 allows, and a list that holds one of them is lost as a whole.
//
// All values are immutable and comparable; the zero values are "no parent" and the empty list.
package w3c
