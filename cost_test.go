//go:build !lens_off

package lens_test

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// TestInlined asks the compiler whether what a call site holds is compiled into it. A function that it does not mention
// fails too: a gate must not pass for want of a number.
func TestInlined(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("on 32 bits an atomic load is a call to the inliner, and the gate a function call")
	}
	const budget = 80
	out, err := exec.Command("go", "build", "-gcflags=-m=2", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	costs := map[string]int{}
	for _, m := range regexp.MustCompile(`: can inline (\S+) with cost (\d+) as:`).FindAllStringSubmatch(string(out), -1) {
		costs[m[1]], _ = strconv.Atoi(m[2])
	}
	for _, f := range []string{
		"(*Group).Start", "(*Group).StartKind", "(*Group).Enabled",
		"Span.Recording", "Span.Ref", "Span.Str", "Span.Int", "Span.Int64", "Span.Float", "Span.Bool", "Span.Strs",
		"Span.Time", "Span.Duration", "Span.Set", "Span.Event", "Span.Link", "Span.SetName", "Span.Ok", "Span.Err",
		"Span.EndAt", "(*Group).Emit", "(*Group).EmitWith", "Str", "Int", "Int64", "Float", "Bool", "Strs",
	} {
		cost, ok := costs[f]
		switch {
		case !ok:
			t.Errorf("the compiler does not inline %s", f)
		case cost > budget:
			t.Errorf("%s costs %d, more than %d", f, cost, budget)
		default:
			t.Logf("%-20s %d", f, cost)
		}
	}
}

// fiveAttributes is a call site as programs have them.
func fiveAttributes(ctx context.Context, g *lens.Group) (err error) {
	_, span := g.Start(ctx, "site")
	defer span.EndErr(&err)
	span.Str("server.address", "localhost").Int("turn", 3).Float("reward", 0.5).Bool("cached", true).Int64("tokens", 1234)
	return nil
}

// fiveAttributesRaw is the same call site in plain OpenTelemetry, as its documentation writes it.
func fiveAttributesRaw(ctx context.Context, t trace.Tracer) {
	_, span := t.Start(ctx, "site", trace.WithAttributes(
		attribute.String("server.address", "localhost"), attribute.Int("turn", 3), attribute.Float64("reward", 0.5),
		attribute.Bool("cached", true), attribute.Int64("tokens", 1234)))
	defer span.End()
}

// TestAllocations: a group that is off allocates nothing, whatever is called; one that is on no more than OpenTelemetry.
func TestAllocations(t *testing.T) {
	r, _ := logged(t)
	off := register(t, r, "lib", "off")[0]
	ctx := context.Background()
	when, list := time.Now(), []string{"a", "b"}
	link := lens.Ref{TraceID: [16]byte{1}, SpanID: [8]byte{1}}
	boom := errors.New("boom")
	captured := 0
	wrapped := lens.Wrap(off, "wrapped", func(_ context.Context, n int) (int, error) { return n, nil })
	for _, g := range []*lens.Group{nil, off} {
		for name, run := range map[string]func(){
			"Enabled":   func() { g.Enabled() },
			"Start":     func() { _, s := g.Start(ctx, "x"); s.End() },
			"StartKind": func() { _, s := g.StartKind(ctx, "x", lens.Client); s.End() },
			"StartWith": func() { _, s := g.StartWith(ctx, "x", lens.StartConfig{Time: when, Root: true}); s.EndAt(when) },
			"setters": func() {
				_, s := g.Start(ctx, "x")
				s.Str("k", "v").Int("k", 1).Int64("k", 1).Float("k", 1).Bool("k", true).Strs("k", list).Time("k", when).
					Duration("k", 1).Err(boom)
				s.Recording()
				s.Ref()
				s.SetName("y")
				s.Fail("no")
				s.Ok()
				s.End()
			},
			"attribute lists": func() {
				_, s := g.Start(ctx, "x")
				s.Set(lens.Str("k", "v"), lens.Strs("k", list), lens.Int("k", 1))
				s.Event("e", lens.Float("k", 1), lens.Bool("k", true))
				s.Link(link, lens.Int64("k", 1))
				s.End()
			},
			"deferred EndErr": func() { _ = fiveAttributes(ctx, g) },
			"Emit":            func() { g.Emit(ctx, "x", when, when, lens.Str("k", "v"), lens.Strs("k", list), lens.Int("k", 1)) },
			"EmitWith": func() {
				g.EmitWith(ctx, "x", lens.EmitConfig{Start: when, Links: []lens.Ref{link}, Fill: func(s lens.Span) { s.Int("k", captured) }})
			},
			"Do":   func() { _ = g.Do(ctx, "x", func(context.Context) error { captured++; return nil }) },
			"Wrap": func() { _, _ = wrapped(ctx, 1) },
		} {
			if n := testing.AllocsPerRun(100, run); n != 0 {
				t.Errorf("%s of group %q allocates %v times", name, g.Name(), n)
			}
		}
	}

	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(noProcessor{}))
	seam.SetProvider(r, provider)
	r.SetSpec("off")
	tracer := provider.Tracer("raw")
	ours := testing.AllocsPerRun(1000, func() { _ = fiveAttributes(ctx, off) })
	raw := testing.AllocsPerRun(1000, func() { fiveAttributesRaw(ctx, tracer) })
	t.Logf("a span with five attributes allocates %v times, in plain OpenTelemetry %v times", ours, raw)
	if ours > raw {
		t.Errorf("a span with five attributes allocates %v times, in plain OpenTelemetry %v times", ours, raw)
	}
	if n := testing.AllocsPerRun(100, func() { off.Enabled() }); n != 0 {
		t.Errorf("Enabled allocates %v times when on", n)
	}
}

// noProcessor makes the SDK record, and nothing after it.
type noProcessor struct{}

func (noProcessor) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (noProcessor) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (noProcessor) Shutdown(context.Context) error                  { return nil }
func (noProcessor) ForceFlush(context.Context) error                { return nil }

// BenchmarkSpan has a call site off, on, and on in plain OpenTelemetry. Compare the last two within one run.
func BenchmarkSpan(b *testing.B) {
	r, _ := logged(b)
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(noProcessor{}))
	seam.SetProvider(r, provider)
	g := register(b, r, "lib", "g", "off")
	g, off := g[:1], g[1]
	r.SetSpec("g")
	tracer := provider.Tracer("raw")
	ctx, parent := g[0].Start(context.Background(), "parent")
	defer parent.End()
	when := time.Now()
	for _, bb := range []struct {
		name string
		run  func()
	}{
		{"Off/Enabled", func() { off.Enabled() }},
		{"Off/Empty", func() { _, s := off.Start(ctx, "x"); s.End() }},
		{"Off/FiveAttributes", func() { _ = fiveAttributes(ctx, off) }},
		{"Off/Emit", func() { off.Emit(ctx, "x", when, when, lens.Int("turn", 3), lens.Str("k", "v")) }},
		{"Off/Do", func() { _ = off.Do(ctx, "x", func(context.Context) error { return nil }) }},
		{"On/Enabled", func() { g[0].Enabled() }},
		{"On/Empty", func() { _, s := g[0].Start(ctx, "x"); s.End() }},
		{"On/EmptyRaw", func() { _, s := tracer.Start(ctx, "x"); s.End() }},
		{"On/Emit", func() { g[0].Emit(ctx, "x", when, when, lens.Int("turn", 3), lens.Str("k", "v")) }},
		{"On/EmitRaw", func() {
			_, s := tracer.Start(ctx, "x", trace.WithTimestamp(when), trace.WithAttributes(attribute.Int("turn", 3), attribute.String("k", "v")))
			s.End(trace.WithTimestamp(when))
		}},
		{"On/FiveAttributes", func() { _ = fiveAttributes(ctx, g[0]) }},
		{"On/FiveAttributesRaw", func() { fiveAttributesRaw(ctx, tracer) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.run()
			}
		})
	}
	b.Run("On/FiveAttributesParallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = fiveAttributes(ctx, g[0])
			}
		})
	})
	b.Run("On/FiveAttributesRawParallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				fiveAttributesRaw(ctx, tracer)
			}
		})
	})
}

// BenchmarkSwitch is what a change of spec costs, with many groups.
func BenchmarkSwitch(b *testing.B) {
	r, _ := logged(b)
	var names []string
	for i := range 200 {
		names = append(names, "g"+strconv.Itoa(i))
	}
	register(b, r, "lib", names...)
	b.ReportAllocs()
	for b.Loop() {
		r.SetSpec("all")
		r.SetSpec("g1")
	}
}
