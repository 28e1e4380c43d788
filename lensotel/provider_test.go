//go:build !lens_off

package lensotel_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensotel"
)

const packageName = "example.com/instrumented"

// registry gives a registry with the groups "calls" and "work", of which work is on, and what it records.
func registry(t testing.TB, options ...sdk.TracerProviderOption) (r *lens.Registry, calls, work *lens.Group, recorder *tracetest.SpanRecorder) {
	t.Helper()
	recorder = tracetest.NewSpanRecorder()
	r = lens.NewRegistry()
	r.SetLogger(slog.New(slog.DiscardHandler))
	seam.SetProvider(r, sdk.NewTracerProvider(append(options, sdk.WithSpanProcessor(recorder))...))
	calls, work = r.NewGroup("calls"), r.NewGroup("work")
	r.MustRegister(lens.Library{Namespace: "lib", Groups: []*lens.Group{calls, work}})
	r.SetSpec("work")
	return r, calls, work, recorder
}

// TestOff: the caller's context unchanged, and a span that is nobody's.
func TestOff(t *testing.T) {
	r, calls, work, recorder := registry(t)
	bare := lens.NewRegistry()
	nowhere := bare.NewGroup("g")
	bare.MustRegister(lens.Library{Namespace: "lib", Groups: []*lens.Group{nowhere}})
	bare.SetSpec("all")
	inside, parent := work.Start(t.Context(), "parent")
	remote := lens.WithParent(t.Context(), parent.Ref())
	for name, group := range map[string]*lens.Group{
		"nil": nil, "off": calls, "not registered": r.NewGroup("stranger"), "nothing to record to": nowhere,
	} {
		t.Run(name, func(t *testing.T) {
			provider := lensotel.TracerProvider(group)
			tracer := provider.Tracer(packageName)
			_, shared := tracer.Start(t.Context(), "x")
			for _, ctx := range []context.Context{t.Context(), inside, remote, nil} {
				got, span := tracer.Start(ctx, "x", trace.WithSpanKind(trace.SpanKindClient), trace.WithNewRoot())
				if got != ctx || span != shared || span.IsRecording() || span.SpanContext().IsValid() {
					t.Errorf("a start in %v makes a context, or gives %v", ctx, span)
				}
				span.SetAttributes(attribute.Int("k", 1))
				span.End()
			}
			if shared.TracerProvider() != provider {
				t.Error("spans that the package starts below are not of the group")
			}
		})
	}
	if !parent.Recording() || !trace.SpanFromContext(inside).IsRecording() {
		t.Error("the caller's span was ended")
	}
	parent.End()
	if n := len(recorder.Started()); n != 1 || len(recorder.Ended()[0].Attributes()) > 0 {
		t.Errorf("%d spans, the first with %v", n, recorder.Ended()[0].Attributes())
	}
}

// TestSwitch: a tracer that was taken before anything else follows the group, its registration and its provider.
func TestSwitch(t *testing.T) {
	r := lens.NewRegistry()
	r.SetLogger(slog.New(slog.DiscardHandler))
	group := r.NewGroup("calls")
	tracer := lensotel.TracerProvider(group).Tracer(packageName)
	records := func() bool {
		_, span := tracer.Start(t.Context(), "x")
		defer span.End()
		return span.IsRecording()
	}
	expect := func(when string, want bool) {
		t.Helper()
		if got := records(); got != want {
			t.Errorf("%s: records %t", when, got)
		}
	}
	first, second := tracetest.NewSpanRecorder(), tracetest.NewSpanRecorder()
	expect("at first", false)
	r.SetSpec("calls")
	expect("not registered", false)
	r.MustRegister(lens.Library{Namespace: "lib", Groups: []*lens.Group{group}})
	expect("without a provider", false)
	seam.SetProvider(r, sdk.NewTracerProvider(sdk.WithSpanProcessor(first)))
	expect("with a provider", true)
	r.SetSpec("")
	expect("switched off", false)
	r.SetSpec("all")
	expect("switched on", true)
	seam.SetProvider(r, sdk.NewTracerProvider(sdk.WithSpanProcessor(second)))
	expect("with another provider", true)
	seam.SetProvider(r, noop.NewTracerProvider())
	expect("after a shutdown", false)
	if len(first.Ended()) != 2 || len(second.Ended()) != 1 {
		t.Errorf("the providers got %d and %d spans", len(first.Ended()), len(second.Ended()))
	}
}

// TestSpan: the provider's own span, in the package's scope.
func TestSpan(t *testing.T) {
	_, _, work, recorder := registry(t)
	tracer := lensotel.TracerProvider(work).Tracer(packageName,
		trace.WithInstrumentationVersion("1.2.3"), trace.WithSchemaURL("https://example.com/1"),
		trace.WithInstrumentationAttributes(attribute.String("own", "x"), attribute.String("lens.group", "not this")))
	outer, parent := work.Start(t.Context(), "parent")
	ctx, span := tracer.Start(outer, "call", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.Int("k", 1)))
	if trace.SpanFromContext(ctx) != span {
		t.Error("the span is not in its context")
	}
	if _, ok := span.(sdk.ReadOnlySpan); !ok {
		t.Errorf("something is between the package and the span: %T", span)
	}
	_, below := work.Start(ctx, "below")
	below.End()
	span.End()
	parent.End()

	spans := recorder.Ended()
	if spans[0].Parent().SpanID() != spans[1].SpanContext().SpanID() || spans[1].Parent().SpanID() != spans[2].SpanContext().SpanID() {
		t.Error("the spans are not below each other")
	}
	got := spans[1].InstrumentationScope()
	want := attribute.NewSet(attribute.String("own", "x"), attribute.String("lens.group", "work"), attribute.Bool("lens.bridge", true))
	if got.Name != packageName || got.Version != "1.2.3" || got.SchemaURL != "https://example.com/1" || !got.Attributes.Equals(&want) {
		t.Errorf("scope %+v", got)
	}
	if spans[1].SpanKind() != trace.SpanKindClient || len(spans[1].Attributes()) != 1 {
		t.Errorf("kind %v, attributes %v", spans[1].SpanKind(), spans[1].Attributes())
	}
}

func TestGroupAttribute(t *testing.T) {
	t.Setenv("NEMO_LENS_GROUP_ATTRIBUTE", "true")
	_, _, work, recorder := registry(t)
	_, span := lensotel.TracerProvider(work).Tracer(packageName).Start(t.Context(), "x")
	span.End()
	if got := recorder.Ended()[0].Attributes(); len(got) != 1 || got[0] != attribute.String("lens.group", "work") {
		t.Errorf("attributes %v", got)
	}
}

// TestWith: attributes of lens.With are on the spans, under any provider; what the package says itself wins.
func TestWith(t *testing.T) {
	_, _, work, recorder := registry(t)
	tracer := lensotel.TracerProvider(work).Tracer(packageName)
	ctx := lens.With(t.Context(), lens.Int("run", 7), lens.Int("k", 1))
	_, span := tracer.Start(ctx, "plain")
	span.End()
	_, span = tracer.Start(ctx, "explicit", trace.WithAttributes(attribute.Int("k", 2)))
	span.End()
	for i, k := range []int{1, 2} {
		list := attribute.NewSet(recorder.Ended()[i].Attributes()...)
		if want := attribute.NewSet(attribute.Int("run", 7), attribute.Int("k", k)); !list.Equals(&want) {
			t.Errorf("attributes %v", recorder.Ended()[i].Attributes())
		}
	}
}

// TestSamplerRefuses: the refusal holds for what is below.
func TestSamplerRefuses(t *testing.T) {
	_, _, work, recorder := registry(t, sdk.WithSampler(sdk.ParentBased(sdk.NeverSample())))
	ctx, span := lensotel.TracerProvider(work).Tracer(packageName).Start(t.Context(), "x")
	if span.IsRecording() || !span.SpanContext().IsValid() || !trace.SpanContextFromContext(ctx).Equal(span.SpanContext()) {
		t.Errorf("span %v", span)
	}
	if _, below := work.Start(ctx, "below"); below.Recording() || len(recorder.Started()) != 0 {
		t.Error("something was recorded")
	}
}

// TestTracers: one wrapper for a scope, however often the package asks.
func TestTracers(t *testing.T) {
	_, calls, _, _ := registry(t)
	provider := lensotel.TracerProvider(calls, nil)
	one := provider.Tracer(packageName, trace.WithInstrumentationVersion("1"))
	if provider.Tracer(packageName, trace.WithInstrumentationVersion("1")) != one {
		t.Error("the same scope has two tracers")
	}
	for name, other := range map[string]trace.Tracer{
		"name":       provider.Tracer("other", trace.WithInstrumentationVersion("1")),
		"version":    provider.Tracer(packageName),
		"schema":     provider.Tracer(packageName, trace.WithInstrumentationVersion("1"), trace.WithSchemaURL("x")),
		"attributes": provider.Tracer(packageName, trace.WithInstrumentationVersion("1"), trace.WithInstrumentationAttributes(attribute.Int("x", 1))),
	} {
		if other == one {
			t.Errorf("another %s has the same tracer", name)
		}
	}
}

// TestShieldParent: a package that looks for its span in the context does not find its caller's.
func TestShieldParent(t *testing.T) {
	const hooked = "go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	r, calls, work, recorder := registry(t)
	for name, tracer := range map[string]trace.Tracer{
		"by option": lensotel.TracerProvider(calls, lensotel.ShieldParent()).Tracer(packageName),
		"by name":   lensotel.TracerProvider(calls).Tracer(hooked),
	} {
		t.Run(name, func(t *testing.T) {
			outer, parent := work.Start(t.Context(), "parent")
			ctx, _ := tracer.Start(outer, "call")
			found := trace.SpanFromContext(ctx)
			found.SetAttributes(attribute.Int("k", 1))
			found.End()
			if !parent.Recording() || !trace.SpanFromContext(outer).IsRecording() {
				t.Error("the caller's span was ended")
			}
			if lens.RefFrom(ctx) != parent.Ref() || found.TracerProvider() != trace.SpanFromContext(outer).TracerProvider() {
				t.Error("the caller's span is not the parent of what is below")
			}
			_, below := work.Start(ctx, "below")
			below.End()
			parent.End()
			ended := recorder.Ended()
			if last := ended[len(ended)-1]; len(last.Attributes()) > 0 || ended[len(ended)-2].Parent().SpanID() != last.SpanContext().SpanID() {
				t.Errorf("the caller's span has %v, the one below is of %v", last.Attributes(), ended[len(ended)-2].Parent())
			}
			again, _ := tracer.Start(ctx, "call")
			for _, ctx := range []context.Context{t.Context(), outer, ctx, lens.WithParent(t.Context(), parent.Ref())} {
				if got, _ := tracer.Start(ctx, "call"); got != ctx {
					t.Error("a shield where no span records")
				}
			}
			if again != ctx {
				t.Error("a shield before a shield")
			}
		})
	}
	r.SetSpec("all")
	_, span := lensotel.TracerProvider(calls, lensotel.ShieldParent()).Tracer(packageName).Start(t.Context(), "on")
	if span.End(); !span.SpanContext().IsValid() {
		t.Error("nothing was started")
	}
}

// TestGlobal: a registry that records to the global provider does not run in circles when that is a bridge.
func TestGlobal(t *testing.T) {
	r := lens.NewRegistry()
	r.SetLogger(slog.New(slog.DiscardHandler))
	group := r.NewGroup("calls")
	r.MustRegister(lens.Library{Namespace: "lib", Groups: []*lens.Group{group}})
	r.SetSpec("all")
	provider := lensotel.TracerProvider(group)
	before := otel.Tracer(packageName)
	defer otel.SetTracerProvider(noop.NewTracerProvider())

	otel.SetTracerProvider(provider)
	for _, tracer := range []trace.Tracer{provider.Tracer(packageName), otel.Tracer(packageName), before} {
		if _, span := tracer.Start(t.Context(), "x"); span.IsRecording() {
			t.Error("a circle records")
		}
	}
	if _, span := group.Start(t.Context(), "x"); span.Recording() || group.Enabled() {
		t.Error("a circle records")
	}

	recorder := tracetest.NewSpanRecorder()
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)))
	_, span := provider.Tracer(packageName).Start(t.Context(), "x")
	span.End()
	seam.SetProvider(r, sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)))
	otel.SetTracerProvider(provider)
	_, span = otel.Tracer(packageName).Start(t.Context(), "y")
	span.End()
	if n := len(recorder.Ended()); n != 2 {
		t.Errorf("%d spans, want 2", n)
	}
}

// TestConcurrently is for the race detector: spans start while everything is switched.
func TestConcurrently(t *testing.T) {
	r, calls, _, _ := registry(t)
	provider := lensotel.TracerProvider(calls)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, span := provider.Tracer(packageName).Start(t.Context(), "x")
				span.SetAttributes(attribute.Int("k", 1))
				span.End()
			}
		})
	}
	for i := range 200 {
		r.SetSpec([]string{"calls", ""}[i%2])
		if i%10 == 0 {
			seam.SetProvider(r, sdk.NewTracerProvider(sdk.WithSpanProcessor(sdk.NewSimpleSpanProcessor(discard{}))))
		}
	}
	close(stop)
	wg.Wait()
}

type discard struct{}

func (discard) ExportSpans(_ context.Context, spans []sdk.ReadOnlySpan) error {
	for _, s := range spans {
		_, _ = io.WriteString(io.Discard, s.Name())
	}
	return nil
}
func (discard) Shutdown(context.Context) error { return nil }
