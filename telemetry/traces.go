//go:build !lens_off

package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// traces is the pipeline of spans.
type traces struct {
	sdk        *sdktrace.TracerProvider
	provider   *provider // what the process sees
	open       *openSpans
	batch      *export.Batch
	processors []sdktrace.SpanProcessor
}

// newTraces wires the pipeline: the attributes of lens.With first, for all to see; then the tracker of open spans, so that
// the spans it ends pass through a processor that still works; then the caller's; then
// the records on disk, if there are any; then the batch.
func newTraces(exporter sdktrace.SpanExporter, res *sdkresource.Resource, o option.Set, log *slog.Logger) *traces {
	t := &traces{open: &openSpans{}, batch: export.NewBatch(exporter, export.BatchConfig{Logger: log})}
	t.processors = append(t.processors, withAttributes{}, t.open)
	for _, p := range o.Processors {
		t.processors = append(t.processors, &onceProcessor{SpanProcessor: p})
	}
	if o, ok := exporter.(*export.OTLP); ok && o.Records() != nil {
		t.processors = append(t.processors, o.Records())
	}
	t.processors = append(t.processors, t.batch)

	ids := newIDGenerator(o.Job, log)
	opts := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(res),
		sdktrace.WithIDGenerator(ids),
	}
	if o.Sampler != nil {
		opts = append(opts, sdktrace.WithSampler(o.Sampler))
	}
	for _, p := range t.processors {
		opts = append(opts, sdktrace.WithSpanProcessor(p))
	}
	t.sdk = sdktrace.NewTracerProvider(opts...)
	t.provider = &provider{sdk: t.sdk, random: !ids.job.IsValid()}
	return t
}

// shutdown flushes and closes everything. The SDK's Shutdown leaves processors running when ctx is over, so each is shut
// down once more; those that were are inert.
func (t *traces) shutdown(ctx context.Context) error {
	err := t.sdk.Shutdown(ctx)
	if ctx.Err() == nil {
		return err
	}
	for _, p := range t.processors {
		if e := p.Shutdown(ctx); !errors.Is(err, e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// onceProcessor shuts a caller's processor down once.
type onceProcessor struct {
	sdktrace.SpanProcessor
	once sync.Once
	err  error
}

func (p *onceProcessor) Shutdown(ctx context.Context) error {
	p.once.Do(func() { p.err = p.SpanProcessor.Shutdown(ctx) })
	return p.err
}
