//go:build !lens_off

package telemetry_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// spans is an exporter that keeps what it is given.
type spans struct {
	mu     sync.Mutex
	all    []sdktrace.ReadOnlySpan
	closed int
	export func(context.Context) error // when set, decides
}

func (s *spans) ExportSpans(ctx context.Context, batch []sdktrace.ReadOnlySpan) error {
	if s.export != nil {
		if err := s.export(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, batch...)
	return nil
}

func (s *spans) Shutdown(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

func (s *spans) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, span := range s.all {
		names = append(names, span.Name())
	}
	return names
}

func (s *spans) byName(t *testing.T, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.all, func(s sdktrace.ReadOnlySpan) bool { return s.Name() == name })
	if i < 0 {
		t.Fatalf("no span %q was exported", name)
	}
	return s.all[i]
}

// setup sets telemetry up for one test, with an exporter that keeps the spans.
func setup(t *testing.T, c telemetry.Config, opts ...telemetry.Option) (*telemetry.Handle, *spans) {
	t.Helper()
	s := &spans{}
	h, err := telemetry.Setup(t.Context(), c,
		append([]telemetry.Option{otelopt.WithSpanExporter(s), telemetry.WithLogger(quiet)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	return h, s
}

// cleanup returns the process to its first state after the test.
func cleanup(t *testing.T, h *telemetry.Handle) {
	t.Cleanup(func() {
		_ = h.Shutdown(context.Background())
		seam.SetProvider(nil, nil)
		seam.SetMeterProvider(nil)
		seam.SetPropagator(nil)
		otel.SetTracerProvider(noop.NewTracerProvider())
		lens.SetSpec("")
	})
}

func shutdown(t *testing.T, h *telemetry.Handle) {
	t.Helper()
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatalf("Shutdown: %v", err)
	}
}

// attr returns the value of an attribute, as text.
func attr(attrs []attribute.KeyValue, key string) string {
	for _, kv := range attrs {
		if string(kv.Key) == key {
			return kv.Value.String()
		}
	}
	return ""
}
