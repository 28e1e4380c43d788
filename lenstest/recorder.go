package lenstest

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/snapshot"
)

// patience is how long Wait waits for what must come. Nothing is measured with it.
const patience = time.Minute

// Recorder keeps the spans that its registry starts, in memory. It is also that registry: rec.SetSpec, rec.NewGroup and
// rec.Register are those of the registry. Make it with [Default] or [New]. It is safe for concurrent use.
type Recorder struct {
	*lens.Registry

	spans    *spanLog
	lines    *lineLog
	provider *sdktrace.TracerProvider
}

// Default lends the test the default registry, with a recorder for its spans and everything off. When the test ends, the
// registry is as it was: what the test registered is gone, what init functions registered is there.
//
// The default registry is one for the process. Default calls t.Setenv, so that a parallel test panics at once instead of
// changing what another one sees.
func Default(t testing.TB) *Recorder {
	t.Helper()
	forbidParallel(t)
	r, restore := borrow(lens.Default())
	t.Cleanup(restore)
	return r
}

// New makes a registry of the test's own and a recorder for its spans, for libraries that take a *lens.Registry: give them
// rec.Registry. Tests that use it may run in parallel.
func New(t testing.TB) *Recorder {
	t.Helper()
	return newRecorder(lens.NewRegistry())
}

// forbidParallel makes package testing refuse a test that is or becomes parallel.
func forbidParallel(t testing.TB) {
	t.Helper()
	t.Setenv("LENSTEST_DEFAULT_REGISTRY", "borrowed")
}

// borrow takes a registry until restore is called, everything off.
func borrow(reg *lens.Registry) (_ *Recorder, restore func()) {
	before, propagator := snapshot.Take(reg), propagator()
	r := newRecorder(reg)
	r.SetSpec("")
	return r, func() {
		setPropagator(propagator)
		before()
	}
}

// newRecorder makes a recorder and connects the registry with it.
func newRecorder(reg *lens.Registry) *Recorder {
	r := &Recorder{Registry: reg, spans: newSpanLog(), lines: &lineLog{}}
	r.provider = sdktrace.NewTracerProvider(
		sdktrace.WithResource(sdkresource.Empty()),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())), // whatever the environment says
		sdktrace.WithSpanProcessor(r.spans))
	connect(reg, r.provider)
	reg.SetLogger(slog.New(slog.NewTextHandler(r.lines, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
	return r
}

// Provider is what the registry starts its spans with. Give it to an instrumentation that speaks OpenTelemetry, and its
// spans are recorded with the others.
func (r *Recorder) Provider() trace.TracerProvider { return r.provider }

// Processor records the spans of another provider. It is for programs that make their own, as telemetry.Setup does: a
// set-up takes the registry over, and with otelopt.WithSpanProcessor(rec.Processor()) its spans are recorded here.
func (r *Recorder) Processor() sdktrace.SpanProcessor { return r.spans }

// Spans returns the spans that have ended, in the order in which they started.
func (r *Recorder) Spans() []Span { return r.spans.list(func(e entry) bool { return e.ended }) }

// Open returns the spans that have not ended, in the order in which they started. Attributes that wait in lens for the end
// of the span are not on them yet.
func (r *Recorder) Open() []Span { return r.spans.list(func(e entry) bool { return !e.ended }) }

// Named returns those of Spans that have the name.
func (r *Recorder) Named(name string) []Span {
	return slices.DeleteFunc(r.Spans(), func(s Span) bool { return s.Name != name })
}

// One returns the only span of that name that has ended. The test ends if there is none, or several; in a build with
// lens_off, where there is none, the rest of the test is skipped.
func (r *Recorder) One(t testing.TB, name string) Span {
	t.Helper()
	found := r.Named(name)
	if len(found) != 1 {
		skipWithout(t)
		t.Fatalf("%d spans are named %q, want 1; there are:\n%s", len(found), name, r.Tree())
		return Span{}
	}
	return found[0]
}

// Wait returns Spans once n spans or more have ended, which may happen in another goroutine: the span of a handler ends a
// moment after its client has the answer. The test ends if they do not come in a minute; in a build with lens_off, where
// none comes, the rest of it is skipped.
func (r *Recorder) Wait(t testing.TB, n int) []Span {
	t.Helper()
	return r.wait(t, n, patience)
}

func (r *Recorder) wait(t testing.TB, n int, most time.Duration) []Span {
	t.Helper()
	timeout := time.NewTimer(most)
	defer timeout.Stop()
	for {
		changed := r.spans.changed()
		if spans := r.Spans(); len(spans) >= n {
			return spans
		}
		skipWithout(t)
		select {
		case <-changed:
		case <-timeout.C:
			spans := r.Spans()
			t.Fatalf("%d spans ended, want %d; there are:\n%s", len(spans), n, r.Tree())
			return spans
		}
	}
}

// skipWithout skips the rest of a test that needs spans where there are none.
func skipWithout(t testing.TB) {
	t.Helper()
	if !compiled {
		t.Skip("lens records no spans in this build, which has the tag lens_off")
	}
}

// Reset forgets all spans and log lines. A span that is open now is not recorded when it ends.
func (r *Recorder) Reset() {
	r.spans.reset()
	r.lines.reset()
}

// Logs returns what the registry has logged so far, one line each: warnings about a spec, about a registration. In the
// default registry that is also what it held back about registrations of init functions.
func (r *Recorder) Logs() []string { return r.lines.list() }

// AssertNone checks that no span was started.
func (r *Recorder) AssertNone(t testing.TB) {
	t.Helper()
	if r.spans.len() > 0 {
		t.Errorf("there are spans, and none should be:\n%s", r.Tree())
	}
}

// AssertEnded checks that every span that was started has ended: an End that was forgotten loses the span.
func (r *Recorder) AssertEnded(t testing.TB) {
	t.Helper()
	for _, s := range r.Open() {
		t.Errorf("span %s was started and never ended: defer span.End() right after Start", s.describe())
	}
}

func (s Span) describe() string {
	if s.Group == "" {
		return fmt.Sprintf("%q", s.Name)
	}
	return fmt.Sprintf("%q of group %q", s.Name, s.Group)
}

// lineLog collects the lines of a text handler.
type lineLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lineLog) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(strings.Lines(l.text.String()))
}

func (l *lineLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
