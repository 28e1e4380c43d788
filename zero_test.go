package lens_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lensgo/lens"
)

func TestStartOff(t *testing.T) {
	r, recorder, _ := recorded(t)
	off := r.NewGroup("off")
	ctx := context.WithValue(context.Background(), ctxKey{}, 1)
	for _, g := range []*lens.Group{nil, off} {
		for name, start := range map[string]func() (context.Context, lens.Span){
			"Start":     func() (context.Context, lens.Span) { return g.Start(ctx, "x") },
			"StartKind": func() (context.Context, lens.Span) { return g.StartKind(ctx, "x", lens.Server) },
			"StartWith": func() (context.Context, lens.Span) { return g.StartWith(ctx, "x", lens.StartConfig{Root: true}) },
		} {
			got, span := start()
			if got != ctx || span != (lens.Span{}) || g.Enabled() {
				t.Errorf("%s of %q did something", name, g.Name())
			}
		}
		ran := false
		err := g.Do(ctx, "x", func(got context.Context) error { ran = got == ctx; return nil })
		if !ran || err != nil {
			t.Errorf("Do of %q: ran %t, %v", g.Name(), ran, err)
		}
	}
	if n := len(recorder.Started()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// TestZeroSpan: every method of the zero Span is a no-op.
func TestZeroSpan(t *testing.T) {
	var s lens.Span
	err := errors.New("x")
	s.Str("k", "v").Int("k", 1).Int64("k", 1).Float("k", 1).Bool("k", true).Strs("k", []string{"v"}).
		Time("k", time.Now()).Duration("k", 1).Set(lens.Str("k", "v")).Err(err)
	s.Event("e", lens.Int("k", 1))
	s.Link(lens.Ref{TraceID: [16]byte{1}, SpanID: [8]byte{1}})
	s.SetName("n")
	s.Fail("no")
	s.Ok()
	s.End()
	s.EndAt(time.Now())
	s.EndErr(nil)
	s.EndErr(&err)
	if s.Recording() || s.Ref().Valid() {
		t.Error("the zero Span records")
	}
}

// BenchmarkCallSite is what a call site costs beside the same function without it, of a group that is off; and with the
// tag lens_off, of one that is not there.
func BenchmarkCallSite(b *testing.B) {
	g := lens.NewRegistry().NewGroup("off")
	ctx := context.Background()
	for _, bb := range []struct {
		name string
		run  func(context.Context, *lens.Group, int) int
	}{{"Bare", bareSite}, {"Gated", gatedSite}, {"Deferred", deferredSite}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.run(ctx, g, 7)
			}
		})
	}
}

//go:noinline
func bareSite(_ context.Context, _ *lens.Group, n int) int { return n + 1 }

//go:noinline
func gatedSite(ctx context.Context, g *lens.Group, n int) int {
	_, span := g.Start(ctx, "site")
	span.Int("turn", n).Str("server.address", "localhost").Float("reward", 0.5)
	span.End()
	return n + 1
}

//go:noinline
func deferredSite(ctx context.Context, g *lens.Group, n int) int {
	_, span := g.Start(ctx, "site")
	defer span.End()
	span.Int("turn", n).Str("server.address", "localhost").Float("reward", 0.5)
	return n + 1
}
