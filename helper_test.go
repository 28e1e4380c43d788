package lens_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// recorded gives a registry whose spans land in the recorder, and which logs to the log.
func recorded(t testing.TB, options ...sdktrace.TracerProviderOption) (*lens.Registry, *tracetest.SpanRecorder, *logs) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(append(options, sdktrace.WithSpanProcessor(recorder))...)
	r, log := logged(t)
	seam.SetProvider(r, provider)
	return r, recorder, log
}

// logged gives a registry that logs to the log.
func logged(t testing.TB) (*lens.Registry, *logs) {
	t.Helper()
	r, log := lens.NewRegistry(), &logs{}
	r.SetLogger(slog.New(slog.NewTextHandler(log, nil)))
	return r, log
}

// logs collects lines of a text handler.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// take returns the lines since the last take.
func (l *logs) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(l.buf.String())
	l.buf.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// one takes exactly one line, which has all of the parts.
func (l *logs) one(t *testing.T, parts ...string) {
	t.Helper()
	lines := l.take()
	if len(lines) != 1 {
		t.Fatalf("%d log lines, want one with %q:\n%s", len(lines), parts, strings.Join(lines, "\n"))
	}
	has(t, lines[0], parts...)
}

// none checks that nothing was logged.
func (l *logs) none(t *testing.T) {
	t.Helper()
	if lines := l.take(); lines != nil {
		t.Fatalf("unexpected log lines:\n%s", strings.Join(lines, "\n"))
	}
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

// register registers names under a namespace and returns the handles.
func register(t testing.TB, r *lens.Registry, namespace string, names ...string) []*lens.Group {
	t.Helper()
	l := lens.Library{Namespace: namespace}
	for _, n := range names {
		l.Groups = append(l.Groups, r.NewGroup(n))
	}
	if err := r.Register(l); err != nil {
		t.Fatal(err)
	}
	return l.Groups
}

// on makes a group that is registered and on.
func on(t testing.TB, r *lens.Registry, name string) *lens.Group {
	t.Helper()
	g := register(t, r, "test."+name, name)[0]
	r.SetSpec("all")
	return g
}

// quiet is a logger for examples that warn on purpose.
var quiet = slog.New(slog.DiscardHandler)

// library makes a declaration in short: groups by name, presets as they are.
func library(r *lens.Registry, namespace string, groups []string, presets lens.Presets) lens.Library {
	l := lens.Library{Namespace: namespace, Presets: presets}
	for _, g := range groups {
		l.Groups = append(l.Groups, r.NewGroup(g))
	}
	return l
}

func override(l lens.Library) lens.Library {
	l.Override = true
	return l
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// hasWord tells whether call sites of the group would do something.
func hasWord(g *lens.Group) bool { return lens.Word(g) != 0 }

type ctxKey struct{}

// noContext is what callers pass who know no better; it counts as Background.
var noContext context.Context
