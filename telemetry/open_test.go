//go:build !lens_off

package telemetry_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// TestOpenSpans: SH-03. Spans of lens and of others are open, nested in each other; a flush ends nothing, and a shutdown
// ends all of them, innermost first.
func TestOpenSpans(t *testing.T) {
	h, exported := setup(t, config())
	ctx, root := job.Start(t.Context(), "1 lens")
	root.Str("a", "1").Int("b", 2).Float("c", 3.5).Bool("d", true).Strs("e", []string{"x"})
	ctx, child := otel.Tracer("other").Start(ctx, "2 other")
	ctx, grandchild := step.Start(ctx, "3 lens")
	_, last := otel.Tracer("other").Start(ctx, "4 other")
	_, done := otel.Tracer("other").Start(ctx, "done")
	done.End()

	if err := h.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := exported.names(); !slices.Equal(got, []string{"done"}) {
		t.Fatalf("after a flush: %v", got)
	}
	shutdown(t, h)
	if got := exported.names(); !slices.Equal(got, []string{"done", "4 other", "3 lens", "2 other", "1 lens"}) {
		t.Fatalf("after the shutdown: %v", got)
	}
	for _, name := range exported.names()[1:] {
		truncated(t, exported.byName(t, name))
	}
	if s := exported.byName(t, "done"); attr(s.Attributes(), semconv.SpanTruncated) != "" || len(s.Events()) > 0 {
		t.Error("a span that had ended is marked")
	}
	attrs := exported.byName(t, "1 lens").Attributes()
	for k, want := range map[string]string{"a": "1", "b": "2", "c": "3.5", "d": "true", "e": `["x"]`} {
		if got := attr(attrs, k); got != want {
			t.Errorf("attribute %s of an open span: %q, want %q", k, got, want)
		}
	}

	// What the program does with them afterwards changes nothing.
	last.End()
	grandchild.Str("late", "x").End()
	child.End()
	root.End()
	shutdown(t, h)
	if n := len(exported.names()); n != 5 {
		t.Errorf("%d spans were exported, want 5", n)
	}
}

// truncated wants the marks of a span that a shutdown ended.
func truncated(t *testing.T, s sdktrace.ReadOnlySpan) {
	t.Helper()
	if attr(s.Attributes(), semconv.SpanTruncated) != "true" {
		t.Errorf("%s: no mark: %v", s.Name(), s.Attributes())
	}
	if len(s.Events()) != 1 || s.Events()[0].Name != semconv.SpanTruncated {
		t.Fatalf("%s: events %v", s.Name(), s.Events())
	}
	contains(t, attr(s.Events()[0].Attributes, semconv.SpanTruncatedReason), "still open", "shut down")
	if s.Status().Code == codes.Error {
		t.Errorf("%s: status %v", s.Name(), s.Status())
	}
}

// A span that the program has lost is the case to save.
func TestOpenSpans_abandoned(t *testing.T) {
	h, exported := setup(t, config())
	func() {
		_, _ = job.Start(t.Context(), "lens")
		_, _ = otel.Tracer("other").Start(t.Context(), "other")
	}()
	runtime.GC()
	shutdown(t, h)
	if got := exported.names(); !slices.Equal(got, []string{"other", "lens"}) {
		t.Errorf("exported %v", got)
	}
}

// A span of a registered library, an ungated one and one of a pinned name are all lens's own: each is closed once.
func TestOpenSpans_no_span_twice(t *testing.T) {
	h, exported := setup(t, config())
	ctx := t.Context()
	_, _ = lens.Start(ctx, "ungated")
	_, _ = job.Start(ctx, "gated")
	shutdown(t, h)
	if got := exported.names(); !slices.Equal(got, []string{"gated", "ungated"}) {
		t.Errorf("exported %v", got)
	}
	for _, s := range exported.all {
		truncated(t, s)
	}
}

// The processors of the caller see the spans that a shutdown ends.
func TestOpenSpans_end_into_live_processors(t *testing.T) {
	p := &watcher{}
	h, _ := setup(t, config(), otelopt.WithSpanProcessor(p))
	_, _ = otel.Tracer("other").Start(t.Context(), "other")
	_, _ = job.Start(t.Context(), "lens")
	shutdown(t, h)
	shutdown(t, h)
	if !slices.Equal(p.log, []string{"start other", "start lens", "end lens", "end other", "shutdown"}) {
		t.Errorf("the processor saw %v", p.log)
	}
}

// watcher is a processor that writes down what it is told.
type watcher struct{ log []string }

func (w *watcher) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	w.log = append(w.log, "start "+s.Name())
}
func (w *watcher) OnEnd(s sdktrace.ReadOnlySpan)    { w.log = append(w.log, "end "+s.Name()) }
func (w *watcher) ForceFlush(context.Context) error { return nil }
func (w *watcher) Shutdown(context.Context) error   { w.log = append(w.log, "shutdown"); return nil }
