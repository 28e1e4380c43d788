//go:build !lens_off

package lens_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	otelapi "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/rerun"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/internal/tracecontext"
	"github.com/lensgo/lens/semconv"
)

func TestStartOn(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	linked := lens.Ref{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1, Remote: true}
	began := time.Unix(1700000000, 5)

	ctx, parent := g.Start(noContext, "parent")
	kinds := []lens.Kind{lens.Internal, lens.Server, lens.Client, lens.Producer, lens.Consumer, 99}
	for _, k := range kinds {
		_, span := g.StartKind(ctx, "kind", k)
		span.End()
	}
	_, child := g.StartWith(ctx, "child", lens.StartConfig{Kind: lens.Client, Time: began, Links: []lens.Ref{{}, linked}})
	child.End()
	rootCtx, root := g.StartWith(ctx, "root", lens.StartConfig{Root: true})
	_, below := g.Start(rootCtx, "below")
	below.End()
	root.End()
	parent.End()

	spans := recorder.Ended()
	wantKinds := []trace.SpanKind{trace.SpanKindInternal, trace.SpanKindServer, trace.SpanKindClient,
		trace.SpanKindProducer, trace.SpanKindConsumer, trace.SpanKindInternal}
	p := spans[len(spans)-1]
	for i, want := range wantKinds {
		if got := spans[i]; got.SpanKind() != want || got.Parent().SpanID() != p.SpanContext().SpanID() {
			t.Errorf("kind %d: %s below %s", kinds[i], got.SpanKind(), got.Parent().SpanID())
		}
	}
	c := spans[len(kinds)]
	if !c.StartTime().Equal(began) || c.SpanKind() != trace.SpanKindClient {
		t.Errorf("child: %s %s", c.StartTime(), c.SpanKind())
	}
	if l := c.Links(); len(l) != 1 || l[0].SpanContext.TraceID() != trace.TraceID(linked.TraceID) || !l[0].SpanContext.IsRemote() {
		t.Errorf("links %+v", l)
	}
	b, rt := spans[len(kinds)+1], spans[len(kinds)+2]
	if rt.Parent().IsValid() || rt.SpanContext().TraceID() == p.SpanContext().TraceID() {
		t.Errorf("the root has a parent: %+v", rt.Parent())
	}
	if b.Parent().SpanID() != rt.SpanContext().SpanID() {
		t.Error("what is below the root is not its child")
	}
}

// TestRootClearsReservation: a root asked for by name takes no trace id that was reserved for another.
func TestRootClearsReservation(t *testing.T) {
	seen := &contextProvider{}
	r, _ := logged(t)
	seam.SetProvider(r, seen)
	ref, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", "lens=r")
	must(t, err)
	ctx := lens.WithParent(context.Background(), ref)
	on(t, r, "work").Start(ctx, "x")
	if _, reserved := tracecontext.Reserved(seen.ctx); !reserved {
		t.Error("the reservation did not reach the provider")
	}
	r.StartWith(ctx, "x", lens.StartConfig{Root: true})
	if _, reserved := tracecontext.Reserved(seen.ctx); reserved {
		t.Error("the reservation reached the provider with a root")
	}
}

// contextProvider keeps the context that the last span was started in.
type contextProvider struct {
	noop.TracerProvider
	ctx context.Context
}

type contextTracer struct {
	noop.Tracer
	p *contextProvider
}

func (p *contextProvider) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return contextTracer{p: p}
}

func (t contextTracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	t.p.ctx = ctx
	return t.Tracer.Start(ctx, name, o...)
}

// TestNearestEnabledAncestor: off means that ctx is untouched.
func TestNearestEnabledAncestor(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := register(t, r, "lib", "a", "b", "c")
	r.SetSpec("all,-b")
	ctx, a := g[0].Start(context.Background(), "a")
	ctx, b := g[1].Start(ctx, "b")
	_, c := g[2].Start(ctx, "c")
	c.End()
	b.End()
	a.End()
	spans := recorder.Ended()
	if len(spans) != 2 || spans[0].Parent().SpanID() != spans[1].SpanContext().SpanID() {
		t.Errorf("%d spans, c below %s", len(spans), spans[0].Parent().SpanID())
	}
}

func TestSamplerSaysNo(t *testing.T) {
	r, recorder, _ := recorded(t, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.NeverSample())))
	g := on(t, r, "work")
	if !g.Enabled() {
		t.Error("the group is off")
	}
	ctx, span := g.Start(context.Background(), "x")
	if span != (lens.Span{}) || span.Recording() {
		t.Error("the span is on")
	}
	sc := trace.SpanContextFromContext(ctx)
	if !sc.IsValid() || sc.IsSampled() {
		t.Errorf("the refusal is not in the context: %+v", sc)
	}
	if n := len(recorder.Ended()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// TestSpanKeepsWhatItStartedWith: switching off and changing the provider leave open spans alone.
func TestSpanKeepsWhatItStartedWith(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	_, span := g.Start(context.Background(), "x")
	r.SetSpec("")
	seam.SetProvider(r, noop.NewTracerProvider())
	span.Str("k", "v").End()
	if s := recorder.Ended(); len(s) != 1 || len(s[0].Attributes()) != 1 {
		t.Errorf("%d spans", len(s))
	}
}

func TestDo(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	boom := errors.New("boom")
	err := g.Do(noContext, "x", func(ctx context.Context) error {
		if !trace.SpanContextFromContext(ctx).IsValid() {
			t.Error("the context has no span")
		}
		return boom
	})
	if err != boom {
		t.Errorf("error %v is not the one returned", err)
	}
	if s := recorder.Ended()[0]; s.Status().Description != "boom" {
		t.Errorf("status %+v", s.Status())
	}
}

func TestWrap(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := register(t, r, "lib", "work")[0]
	boom := errors.New("boom")
	double := lens.Wrap(g, "double", func(_ context.Context, n int) (string, error) {
		if n < 0 {
			return "partial", boom
		}
		return fmt.Sprint(2 * n), nil
	})
	if s, err := double(noContext, 2); s != "4" || err != nil {
		t.Errorf("off: %q %v", s, err)
	}
	r.SetSpec("work") // the gate is asked at each call
	if s, err := double(context.Background(), 3); s != "6" || err != nil {
		t.Errorf("on: %q %v", s, err)
	}
	if s, err := double(context.Background(), -1); s != "partial" || err != boom {
		t.Errorf("error: %q %v", s, err)
	}
	if s := recorder.Ended(); len(s) != 2 || s[0].Name() != "double" || s[1].Status().Description != "boom" {
		t.Errorf("%d spans", len(s))
	}
}

// TestUngated has lens.Start in its ways to be off, and on.
func TestUngated(t *testing.T) {
	r, recorder, _ := recorded(t)
	_, span := r.Start(context.Background(), "x")
	if !span.Recording() {
		t.Error("ungated and off")
	}
	span.End()
	if s := recorder.Ended()[0].InstrumentationScope(); s.Name != semconv.ScopeLens || s.Attributes.Len() != 0 {
		t.Errorf("scope %+v", s)
	}
	g := on(t, r, "work")
	for name, tp := range map[string]trace.TracerProvider{
		"noop": noop.NewTracerProvider(), "pointer": &noop.TracerProvider{}, "global, not set": nil,
	} {
		seam.SetProvider(r, tp)
		ctx := context.WithValue(context.Background(), ctxKey{}, 1)
		for what, start := range map[string]func() (context.Context, lens.Span){
			"Start":     func() (context.Context, lens.Span) { return r.Start(ctx, "x") },
			"StartWith": func() (context.Context, lens.Span) { return r.StartWith(ctx, "x", lens.StartConfig{Root: true}) },
			"gated":     func() (context.Context, lens.Span) { return g.Start(ctx, "x") },
			"gatedWith": func() (context.Context, lens.Span) { return g.StartWith(ctx, "x", lens.StartConfig{Root: true}) },
		} {
			if got, span := start(); got != ctx || span != (lens.Span{}) || g.Enabled() {
				t.Errorf("%s, %s: something happened", name, what)
			}
		}
		if hasWord(g) != (tp == nil) {
			t.Errorf("%s: the call site's word is %d", name, lens.Word(g))
		}
	}
}

// TestGlobalProvider: a plain OpenTelemetry program works, whenever it sets its provider, and sets another.
func TestGlobalProvider(t *testing.T) {
	if isChild, out, err := rerun.Test(t); !isChild {
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	g := lens.NewGroup("global")
	lens.MustRegister(lens.Library{Namespace: "test", Version: "1.2", Groups: []*lens.Group{g}})
	lens.SetSpec("global")
	use := func(want bool) {
		t.Helper()
		for _, start := range []func(context.Context, string) (context.Context, lens.Span){g.Start, lens.Start} {
			ctx, span := start(context.Background(), "x")
			if span.Recording() != want || g.Enabled() != want || (ctx != context.Background()) != want {
				t.Errorf("recording %t, want %t", span.Recording(), want)
			}
			span.End()
		}
	}
	use(false)
	for i := range 3 {
		recorder := tracetest.NewSpanRecorder()
		otelapi.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
		use(true)
		if s := recorder.Ended(); len(s) != 2 || s[0].InstrumentationScope().Version != "1.2" {
			t.Errorf("provider %d: %d spans", i, len(s))
		}
	}
	otelapi.SetTracerProvider(noop.NewTracerProvider())
	use(false)

	// A provider that cannot be compared, because its dynamic type has a slice, is asked every time.
	recorder := tracetest.NewSpanRecorder()
	otelapi.SetTracerProvider(sliceProvider{sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), nil})
	use(true)
	use(true)
	if n := len(recorder.Ended()); n != 4 {
		t.Errorf("%d spans", n)
	}
	seam.SetProvider(nil, noop.NewTracerProvider())
	use(false)
	seam.SetProvider(nil, nil)
	use(true)
}

type sliceProvider struct {
	trace.TracerProvider
	_ []int
}

// TestScope: spans come from the library that registered the group first.
func TestScope(t *testing.T) {
	r, recorder, _ := recorded(t)
	shared := r.NewGroup("shared")
	declare := func(namespace, version string, override bool) {
		must(t, r.Register(lens.Library{Namespace: namespace, Version: version, Groups: []*lens.Group{shared}, Override: override}))
	}
	check := func(name, version string) {
		t.Helper()
		_, span := shared.Start(context.Background(), "x")
		span.End()
		spans := recorder.Ended()
		scope := spans[len(spans)-1].InstrumentationScope()
		group, _ := scope.Attributes.Value(semconv.LensGroup)
		if scope.Name != name || scope.Version != version || group.AsString() != "shared" {
			t.Errorf("scope %s %s %s, want %s %s", scope.Name, scope.Version, group.AsString(), name, version)
		}
		if n := len(spans[len(spans)-1].Attributes()); n != 0 {
			t.Errorf("%d attributes on the span", n)
		}
	}
	r.Pin("shared")
	check(semconv.ScopeLens, "") // pinned and not registered
	r.SetSpec("all,shared")
	declare("first", "1", false)
	check("first", "1")
	declare("second", "2", false)
	check("first", "1")
	declare("first", "1.1", true) // keeps its place
	check("first", "1.1")
	must(t, r.Unregister("first"))
	check("second", "2")
	declare("first", "1", false)
	check("second", "2")
}

func TestGroupAttribute(t *testing.T) {
	t.Setenv("NEMO_LENS_GROUP_ATTRIBUTE", " True")
	r, recorder, _ := recorded(t)
	_, span := on(t, r, "work").Start(context.Background(), "x")
	span.End()
	_, span = r.Start(context.Background(), "ungated")
	span.End()
	spans := recorder.Ended()
	equalAttrs(t, attrs(spans[0]), []attribute.KeyValue{attribute.String("lens.group", "work")})
	same(t, "attributes of ungated", len(spans[1].Attributes()), 0)
}

// TestProviderMayLog: a provider is asked for a tracer without a lock held.
func TestProviderMayLog(t *testing.T) {
	r, _ := logged(t)
	g := on(t, r, "work")
	other := on(t, r, "other")
	seam.SetProvider(r, &callingProvider{sdktrace.NewTracerProvider(), func() {
		r.CurrentState()
		r.NewGroup("new")
	}})
	if !g.Enabled() || !other.Enabled() {
		t.Error("off")
	}
}

type callingProvider struct {
	trace.TracerProvider
	call func()
}

func (p *callingProvider) Tracer(name string, o ...trace.TracerOption) trace.Tracer {
	p.call()
	return p.TracerProvider.Tracer(name, o...)
}

// TestSwitchWhileStarting switches specs, registrations and providers under running call sites.
func TestSwitchWhileStarting(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := register(t, r, "lib", "a", "b")
	providers := []trace.TracerProvider{
		sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), noop.NewTracerProvider(), nil,
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				ctx, a := g[0].Start(context.Background(), "a")
				_, b := g[1].StartKind(ctx, "b", lens.Client)
				b.Int("k", 1).End()
				a.End()
				g[0].Enabled()
			}
		})
	}
	for i := range 300 {
		r.SetSpec([]string{"all", "a", "", "all,-a"}[i%4])
		seam.SetProvider(r, providers[i%len(providers)])
		if i%10 == 0 {
			must(t, r.Unregister("lib"))
			must(t, r.Register(library(r, "lib", []string{"a", "b"}, nil)))
		}
	}
	r.Pin()
	if g[0].Enabled() || g[1].Enabled() {
		t.Error("a switch is not seen by the check after it")
	}
	close(done)
	wg.Wait()
	if open := len(recorder.Started()) - len(recorder.Ended()); open != 0 {
		t.Errorf("%d spans were not ended", open)
	}
}
