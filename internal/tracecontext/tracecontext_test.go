package tracecontext_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/tracecontext"
	"github.com/lensgo/lens/internal/w3c"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "00-" + traceID + "-b7ad6b7169203331-01"
)

// extract reads a traceparent and one tracestate line into a fresh context.
func extract(t *testing.T, traceparent, tracestate string) context.Context {
	t.Helper()
	return tracecontext.Propagator{}.Extract(t.Context(),
		propagation.MapCarrier{"traceparent": traceparent, "tracestate": tracestate})
}

// inject gives what goes out.
func inject(ctx context.Context) (traceparent, tracestate string) {
	c := propagation.MapCarrier{}
	tracecontext.Propagator{}.Inject(ctx, c)
	return c["traceparent"], c["tracestate"]
}

func tracer(options ...trace.TracerProviderOption) api.Tracer {
	return trace.NewTracerProvider(options...).Tracer("test")
}

func TestRawList(t *testing.T) {
	with := func(sc api.SpanContext, pairs ...string) api.SpanContext {
		state := sc.TraceState()
		for i := 0; i < len(pairs); i += 2 {
			var err error
			if pairs[i+1] == "" {
				state = state.Delete(pairs[i])
			} else if state, err = state.Insert(pairs[i], pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return sc.WithTraceState(state)
	}
	tests := []struct {
		name, in, want string
		change         func(api.SpanContext) api.SpanContext
	}{
		{"all of it fits", "foo=1,bar=2", "foo=1,bar=2", nil},
		{"some of it fits", "foo=1,foo@=2,bar=3", "foo=1,foo@=2,bar=3", nil},
		{"nothing of it fits", "foo@=2,0=1", "foo@=2,0=1", nil},
		{"a sampler adds, all fits", "foo=1,bar=2", "ot=th:8,foo=1,bar=2",
			func(sc api.SpanContext) api.SpanContext { return with(sc, "ot", "th:8") }},
		{"a sampler adds", "foo=1,foo@=2,bar=3", "ot=th:8,foo=1,bar=3,foo@=2",
			func(sc api.SpanContext) api.SpanContext { return with(sc, "ot", "th:8") }},
		{"a sampler adds to nothing", "foo@=2", "ot=th:8,foo@=2",
			func(sc api.SpanContext) api.SpanContext { return with(sc, "ot", "th:8") }},
		{"a sampler takes out", "foo=1,foo@=2,bar=3", "foo=1,foo@=2",
			func(sc api.SpanContext) api.SpanContext { return with(sc, "bar", "") }},
		{"a sampler changes", "foo=1,foo@=2,bar=3", "bar=4,foo=1,foo@=2",
			func(sc api.SpanContext) api.SpanContext { return with(sc, "bar", "4") }},
		{"another trace", "foo=1,foo@=2", "foo=1",
			func(sc api.SpanContext) api.SpanContext { return sc.WithTraceID(api.TraceID{1}) }},
		{"33 with the sampler's", "a@=0," + letters(31), "ot=x," + letters(31),
			func(sc api.SpanContext) api.SpanContext { return with(sc, "ot", "x") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := extract(t, parent, test.in)
			if test.change != nil {
				ctx = api.ContextWithSpanContext(ctx, test.change(api.SpanContextFromContext(ctx)))
			}
			if _, got := inject(ctx); got != test.want {
				t.Errorf("without a span: %q, want %q", got, test.want)
			}
			ctx, span := tracer().Start(ctx, "child")
			if _, got := inject(ctx); got != test.want {
				t.Errorf("with a span: %q, want %q", got, test.want)
			}
			if root, _ := tracer().Start(ctx, "root", api.WithNewRoot()); stateOf(root) != "" {
				t.Errorf("a new root takes %q along", stateOf(root))
			}
			span.End()
		})
	}
}

func stateOf(ctx context.Context) string {
	_, s := inject(ctx)
	return s
}

func letters(n int) string {
	var s []string
	for i := range n {
		s = append(s, "k"+string(rune('a'+i/26))+string(rune('a'+i%26))+"=1")
	}
	return strings.Join(s, ",")
}

func TestOuterParentLeavesNothing(t *testing.T) {
	outer := extract(t, parent, "foo@=1")
	for name, state := range map[string]string{"a list that fits": "bar=1", "no list": "", "a bad list": "BAD=1"} {
		ctx := tracecontext.Propagator{}.Extract(outer,
			propagation.MapCarrier{"traceparent": parent, "tracestate": state})
		if got := stateOf(ctx); strings.Contains(got, "foo@") {
			t.Errorf("%s: the outer parent's list shines through: %q", name, got)
		}
	}
	if p, s := inject(tracecontext.Detach(outer)); p+s != "" {
		t.Errorf("after Detach %q, %q go out", p, s)
	}
}

func TestReservation(t *testing.T) {
	const reserved = "00-" + traceID + "-b7ad6b7169203331-03"
	spans := func(ctx context.Context) bool {
		_, ok := tracecontext.Reserved(ctx)
		return ok
	}
	ctx := extract(t, reserved, "foo@=2,lens=r,bar=1")

	t.Run("is no parent and gives its trace id", func(t *testing.T) {
		if api.SpanContextFromContext(ctx).IsValid() {
			t.Error("there is a parent")
		}
		if id, ok := tracecontext.Reserved(ctx); !ok || id.String() != traceID {
			t.Errorf("the reserved trace id is %s, %v", id, ok)
		}
	})
	t.Run("goes on as it came", func(t *testing.T) {
		if p, s := inject(ctx); p != reserved || s != "foo@=2,lens=r,bar=1" {
			t.Errorf("%s with %s goes out", p, s)
		}
	})
	t.Run("is gone below a span of its trace", func(t *testing.T) {
		below, span := tracer(trace.WithIDGenerator(generator{})).Start(ctx, "root")
		defer span.End()
		if got := span.SpanContext().TraceID().String(); got != traceID {
			t.Fatalf("the root has trace id %s", got)
		}
		if ro, ok := span.(trace.ReadOnlySpan); !ok || ro.Parent().IsValid() {
			t.Error("the root has a parent")
		}
		if spans(below) {
			t.Error("still reserved")
		}
		p, s := inject(below)
		if !strings.HasPrefix(p, "00-"+traceID) || strings.Contains(p, "b7ad6b7169203331") {
			t.Errorf("%s goes out", p)
		}
		if s != "foo@=2,bar=1" {
			t.Errorf("the tracestate %q goes out", s)
		}
		if detached := tracecontext.Detach(below); spans(detached) {
			t.Error("Detach brings it back")
		}
	})
	t.Run("is cleared by Detach", func(t *testing.T) {
		detached := tracecontext.Detach(ctx)
		if p, s := inject(detached); spans(detached) || p+s != "" {
			t.Errorf("%q, %q go out", p, s)
		}
	})
	t.Run("replaces a span, and a parent replaces it", func(t *testing.T) {
		in, span := tracer().Start(t.Context(), "other")
		defer span.End()
		p, raw, _ := tracecontext.Current(ctx)
		in = tracecontext.WithParent(in, p, raw, true)
		if got, _ := inject(in); !spans(in) || got != reserved {
			t.Errorf("%s goes out", got)
		}
		in = tracecontext.WithParent(in, p, w3c.Tracestate{}, true)
		if got, s := inject(in); spans(in) || got != reserved || s != "" {
			t.Errorf("%s with %q goes out", got, s)
		}
	})
	t.Run("past us by another propagator", func(t *testing.T) {
		c := propagation.MapCarrier{"traceparent": parent, "tracestate": "lens=r,bar=1"}
		in, span := tracer().Start(propagation.TraceContext{}.Extract(t.Context(), c), "child")
		defer span.End()
		if got := stateOf(in); got != "bar=1" {
			t.Errorf("%q goes out with the id of a recorded span", got)
		}
	})
	t.Run("does not go out with a remote parent of its trace", func(t *testing.T) {
		in := api.ContextWithRemoteSpanContext(ctx, api.NewSpanContext(api.SpanContextConfig{
			TraceID: api.SpanContextFromContext(extract(t, parent, "")).TraceID(), SpanID: api.SpanID{9}}))
		if got := stateOf(in); spans(in) || got != "foo@=2,bar=1" {
			t.Errorf("%q goes out", got)
		}
	})
	t.Run("another value is an ordinary member", func(t *testing.T) {
		if in := extract(t, parent, "lens=x"); spans(in) || stateOf(in) != "lens=x" {
			t.Errorf("%q goes out", stateOf(in))
		}
	})
}

// generator takes reserved trace ids, as telemetry's does.
type generator struct{}

func (generator) NewIDs(ctx context.Context) (api.TraceID, api.SpanID) {
	id, _ := tracecontext.Reserved(ctx)
	return id, api.SpanID{9}
}

func (generator) NewSpanID(context.Context, api.TraceID) api.SpanID { return api.SpanID{9} }

func TestStaleTracestateGoes(t *testing.T) {
	h := propagation.HeaderCarrier{"Tracestate": {"old=1"}, "Traceparent": {"old", "older"}}
	tracecontext.Propagator{}.Inject(extract(t, parent, ""), withDel{h})
	if len(h) != 1 || len(h["Traceparent"]) != 1 || h.Get("traceparent") != parent {
		t.Errorf("the headers are %v", h)
	}
}

type withDel struct{ propagation.HeaderCarrier }

func (c withDel) Del(key string) { delete(c.HeaderCarrier, "Tracestate") }

func TestSpanContextHoldsNoReservation(t *testing.T) {
	raw, _ := w3c.ParseTracestate("lens=r,foo=1,foo@=2")
	p, _ := w3c.ParseTraceparent(parent)
	sc := tracecontext.SpanContext(p, raw, true)
	if got := sc.TraceState().String(); got != "foo=1" || !sc.IsRemote() {
		t.Errorf("it holds %q", got)
	}
	if got := tracecontext.List(sc).String(); got != "foo=1" {
		t.Errorf("List gives %q", got)
	}
}

func TestAllocations(t *testing.T) {
	ctx, span := tracer().Start(extract(t, parent, "foo@=1,bar=2"), "child")
	defer span.End()
	empty := discard{}
	for name, test := range map[string]struct {
		most float64
		run  func()
	}{
		"Current":                   {0, func() { tracecontext.Current(ctx) }},
		"Current of nothing":        {0, func() { tracecontext.Current(t.Context()) }},
		"Extract of nothing":        {0, func() { tracecontext.Propagator{}.Extract(t.Context(), empty) }},
		"Inject of nothing":         {0, func() { tracecontext.Propagator{}.Inject(t.Context(), empty) }},
		"Detach of nothing":         {0, func() { tracecontext.Detach(t.Context()) }},
		"Reserved where none is":    {0, func() { tracecontext.Reserved(t.Context()) }},
		"Inject into a set carrier": {1, func() { tracecontext.Propagator{}.Inject(ctx, discard{}) }},
	} {
		if n := testing.AllocsPerRun(100, test.run); n > test.most {
			t.Errorf("%s allocates %v times, at most %v are allowed", name, n, test.most)
		}
	}
}

type discard struct{}

func (discard) Get(string) string  { return "" }
func (discard) Set(string, string) {}
func (discard) Keys() []string     { return nil }
