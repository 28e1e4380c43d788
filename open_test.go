//go:build !lens_off

package lens_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	otelapi "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/rerun"
	"github.com/lensgo/lens/internal/seam"
)

const reason = "still open at telemetry shutdown"

// TestCloseOpen is SH-03 as far as it is lens's: root, child and grandchild are open; all come out, innermost first,
// marked, with what was set on them, and without an error.
func TestCloseOpen(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	_, ended := g.Start(context.Background(), "ended")
	ended.End()
	ctx, root := g.Start(context.Background(), "root")
	ctx, child := g.Start(ctx, "child")
	_, grandchild := g.Start(ctx, "grandchild")
	for i, s := range []lens.Span{root, child, grandchild} {
		s.Int("depth", i).Str("a", "1").Str("b", "2").Str("password", "x").Bool("d", true)
	}
	root.Err(errors.New("failed before"))

	seam.CloseOpen(r, reason, nil)
	seam.CloseOpen(r, "a second shutdown is inert", nil)
	root.Str("late", "v").End()

	spans := recorder.Ended()
	if len(spans) != 4 {
		t.Fatalf("%d spans ended, want 4", len(spans))
	}
	for i, name := range []string{"grandchild", "child", "root"} {
		s := spans[i+1]
		if s.Name() != name {
			t.Errorf("span %d is %s, want %s", i, s.Name(), name)
		}
		equalAttrs(t, s.Attributes(), []attribute.KeyValue{
			attribute.Int("depth", 2-i), attribute.String("a", "1"), attribute.String("b", "2"),
			attribute.String("password", "[REDACTED]"), attribute.Bool("d", true), attribute.Bool("nemo.span.truncated", true),
		})
		events := s.Events()
		last := events[len(events)-1]
		if last.Name != "nemo.span.truncated" || attr(last.Attributes, "nemo.span.truncated.reason") != reason {
			t.Errorf("%s: event %+v", name, last)
		}
		if want := map[bool]codes.Code{true: codes.Error, false: codes.Unset}[name == "root"]; s.Status().Code != want {
			t.Errorf("%s: status %+v", name, s.Status())
		}
	}
	if n := len(spans[0].Attributes()) + len(spans[0].Events()); n != 0 {
		t.Error("the span that had ended was marked")
	}
}

// TestWriteOpen: what open spans have collected is their provider's to see, in the order of the calls, and comes once.
func TestWriteOpen(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	ctx, root := g.Start(context.Background(), "root")
	_, child := g.Start(ctx, "child")
	root.Int("n", 1).Str("password", "x")
	child.Int("n", 2)
	child.End()
	seam.WriteOpen(r)
	want := []attribute.KeyValue{attribute.Int("n", 1), attribute.String("password", "[REDACTED]")}
	equalAttrs(t, recorder.Started()[0].Attributes(), want)
	root.Int("m", 3)
	seam.WriteOpen(r)
	seam.WriteOpen(r)
	root.Int("last", 4).End()
	equalAttrs(t, recorder.Ended()[1].Attributes(), append(want, attribute.Int("m", 3), attribute.Int("last", 4)))
	seam.WriteOpen(r) // nothing is open
}

// TestCloseOpenMerges: lens's spans and others' end in one order, newest first.
func TestCloseOpenMerges(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	var order []string
	other := func(name string) seam.Open {
		return seam.Open{Order: seam.NextOrder(), Close: func(why string) {
			if why != reason {
				t.Errorf("%s closed for %q", name, why)
			}
			for _, s := range recorder.Ended()[len(order)-countOthers(order):] {
				order = append(order, s.Name())
			}
			order = append(order, "other "+name)
		}}
	}
	g.Start(context.Background(), "1")
	two := other("2")
	g.Start(context.Background(), "3")
	four := other("4")
	boom := seam.Open{Order: seam.NextOrder(), Close: func(string) { panic("a provider's mistake") }}
	g.Start(context.Background(), "5")
	others := []seam.Open{two, four, boom}
	seam.CloseOpen(r, reason, others)
	for _, s := range recorder.Ended()[len(order)-countOthers(order):] {
		order = append(order, s.Name())
	}
	same(t, "order", order, []string{"5", "other 4", "3", "other 2", "1"})
	if others[0].Order != two.Order {
		t.Error("the caller's list was sorted")
	}
}

func countOthers(order []string) (n int) {
	for _, o := range order {
		if len(o) > 5 && o[:5] == "other" {
			n++
		}
	}
	return n
}

// TestCloseOpenLeavesTheList: the others are the caller's, also when no span of lens is open.
func TestCloseOpenLeavesTheList(t *testing.T) {
	others := []seam.Open{{Order: 1, Close: func(string) {}}, {Order: 2, Close: func(string) {}}}
	seam.CloseOpen(lens.NewRegistry(), reason, others)
	if others[0].Order != 1 {
		t.Error("the caller's list was sorted")
	}
}

// TestEndedSpansAreForgotten: the list keeps what is open and nothing else, and a second end takes no other span off it.
func TestEndedSpansAreForgotten(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	const n = 300 // several to a shard, of which every third ends first
	spans := make([]lens.Span, n)
	for i := range spans {
		_, spans[i] = g.Start(context.Background(), fmt.Sprint(i))
	}
	for i := 0; i < n; i += 3 {
		spans[i].End()
		spans[i].EndErr(nil)
	}
	same(t, "open", lens.Open(r), n-n/3)
	seam.CloseOpen(r, reason, nil)
	same(t, "open after the sweep", lens.Open(r), 0)
	same(t, "ended", len(recorder.Ended()), n)
}

// TestCloseOpenIsPerRegistry: nil is the default registry.
func TestCloseOpenIsPerRegistry(t *testing.T) {
	r, recorder, _ := recorded(t)
	_, span := on(t, r, "work").Start(context.Background(), "x")
	seam.CloseOpen(nil, reason, nil)
	seam.CloseOpen(lens.NewRegistry(), reason, nil)
	if n := len(recorder.Ended()); n != 0 {
		t.Errorf("%d spans of another registry were ended", n)
	}
	span.End()
	if attr(recorder.Ended()[0].Attributes(), "nemo.span.truncated") != "" {
		t.Error("marked")
	}
}

// TestCloseOpenOfTheGlobalProvider: a registry without a provider of its own records to the global one, and its spans are
// the default registry's to close: whoever shuts that provider down does not know the registry.
func TestCloseOpenOfTheGlobalProvider(t *testing.T) {
	if isChild, out, err := rerun.Test(t); !isChild {
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	recorder := tracetest.NewSpanRecorder()
	otelapi.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
	embedded, _ := logged(t)
	ctx, outer := lens.Start(context.Background(), "outer")
	_, inner := on(t, embedded, "work").Start(ctx, "inner")
	outer.Int("k", 1)
	inner.Int("k", 2)
	seam.CloseOpen(embedded, reason, nil)
	if n := len(recorder.Ended()); n != 0 {
		t.Errorf("%d spans of the global provider were ended", n)
	}
	seam.CloseOpen(nil, reason, nil)
	var names []string
	for _, s := range recorder.Ended() {
		names = append(names, s.Name())
		if len(s.Attributes()) != 2 {
			t.Errorf("%s: attributes %v", s.Name(), s.Attributes())
		}
	}
	same(t, "ended", names, []string{"inner", "outer"})
}

// TestCloseOpenWhileEnding: a span that ends by itself meanwhile ends once.
func TestCloseOpenWhileEnding(t *testing.T) {
	r, recorder, _ := recorded(t)
	g := on(t, r, "work")
	const n = 200
	var wg sync.WaitGroup
	for i := range n {
		_, span := g.Start(context.Background(), fmt.Sprint(i))
		wg.Go(func() { span.Int("k", i).End() })
	}
	wg.Go(func() { seam.CloseOpen(r, reason, nil) })
	wg.Wait()
	seam.CloseOpen(r, reason, nil)
	var names []string
	for _, s := range recorder.Ended() {
		names = append(names, s.Name())
	}
	slices.Sort(names)
	if len(names) != n || len(slices.Compact(names)) != n {
		t.Errorf("%d ends for %d spans", len(recorder.Ended()), n)
	}
}
