package export_test

import (
	"context"
	"sync"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// span makes an ended span that is sampled.
func span(name string) sdktrace.ReadOnlySpan { return spanWith(name, trace.FlagsSampled) }

func spanWith(name string, flags trace.TraceFlags) sdktrace.ReadOnlySpan {
	return tracetest.SpanStub{
		Name: name,
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: flags,
		}),
	}.Snapshot()
}

// recorder is an exporter that remembers the names that it was given.
type recorder struct {
	// export, when set, is called for each batch, before it counts as taken.
	export func(ctx context.Context, call int) error

	mu      sync.Mutex
	calls   int
	batches [][]string
	closed  int
}

func (r *recorder) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	r.mu.Lock()
	call := r.calls
	r.calls++
	r.mu.Unlock()
	if r.export != nil {
		if err := r.export(ctx, call); err != nil {
			return err
		}
	}
	names := make([]string, len(spans))
	for i, s := range spans {
		names[i] = s.Name()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches = append(r.batches, names)
	return nil
}

func (r *recorder) Shutdown(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
	return nil
}

// taken returns the batches so far.
func (r *recorder) taken() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([][]string(nil), r.batches...)
}

// names returns the spans so far, in the order in which they came.
func (r *recorder) names() []string {
	var all []string
	for _, b := range r.taken() {
		all = append(all, b...)
	}
	return all
}

func (r *recorder) shutdowns() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}
