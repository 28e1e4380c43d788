//go:build !lens_off

package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	nometer "go.opentelemetry.io/otel/metric/noop"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/logsink"
	"github.com/lensgo/lens/telemetry/internal/option"
	"github.com/lensgo/lens/telemetry/internal/scrape"
)

// truncatedReason is written on spans that a shutdown ends.
const truncatedReason = "still open when telemetry was shut down"

// pipeline is what a Handle has of traces and metrics; what is not exported is nil.
type pipeline struct {
	unreported bool // the program says itself what became of the spans

	batch    *export.Batch
	otlp     *export.OTLP // before the batch; nil with another exporter
	provider *provider
	meters   *sdkmetric.MeterProvider
	scrape   scrape.Endpoint // nil: Prometheus does not come
	logs     *sdklog.LoggerProvider
	log      *slog.Logger
}

func (p pipeline) tracing() bool { return p.batch != nil }

func (p pipeline) scraped() string {
	if p.scrape == nil {
		return ""
	}
	return p.scrape.Addr()
}

// enable is the rest of Setup.
func enable(ctx context.Context, c Config, o option.Set, log *slog.Logger) (*Handle, error) {
	current := Current()
	if current != nil && !o.Reinit {
		return nil, fmt.Errorf("cannot set telemetry up: %w", ErrInitialised)
	}
	h, err := build(ctx, c, o, log)
	if err != nil {
		return nil, fmt.Errorf("cannot set telemetry up: %w", err)
	}
	if current != nil {
		_ = current.Shutdown(ctx) // the result stays on that handle
	}
	h.install()
	seam.MetersChanged()
	if h.batch != nil {
		installPropagator(log)
	}
	if h.scrape != nil {
		h.scrape.Serve()
	}
	lens.SetSpec(c.SpanGroups)
	return h, nil
}

// silence gives package lens and package metrics providers that record nothing.
func silence() {
	seam.SetProvider(nil, noop.NewTracerProvider())
	seam.SetMeterProvider(nometer.NewMeterProvider())
	logsink.Set(nil)
}

// build makes the pipelines of an enabled set-up. It changes nothing in the process.
func build(ctx context.Context, c Config, o option.Set, log *slog.Logger) (*Handle, error) {
	h := newHandle(c.RunID)
	h.retire, h.log, h.unreported = h.release, log, o.Unreported
	res := newResource(ctx, c, o.Attributes, log)
	var exporter sdktrace.SpanExporter
	if c.TracesEnabled {
		sayUnusable(traceVariables, log)
		var err error
		if exporter, err = newExporter(ctx, c, o, log); err != nil {
			return nil, err
		}
	}
	h.otlp, _ = exporter.(*export.OTLP)
	if c.StartRecords && exporter != nil && h.otlp == nil {
		log.Warn("telemetry: there are no start records: they need the exporter otlp")
	}
	own := &self{began: time.Now(), spans: h.otlp}
	if exporter != nil {
		h.trace(newTraces(exporter, res, o, log))
		own.batch = h.batch
	}
	logs, err := newLogs(ctx, c, res, o, own, log)
	if err != nil {
		return nil, errors.Join(err, h.closeSignals(ctx))
	}
	if logs != nil {
		h.logs = logs
		h.signals = append(h.signals, signal{flush: logs.ForceFlush, shutdown: func(ctx context.Context) error {
			return logs.Shutdown(export.Last(ctx))
		}})
	}
	meters, err := newMeters(ctx, c, res, o, own, log) // last: they tell of the others
	if err != nil {
		return nil, errors.Join(err, h.closeSignals(ctx))
	}
	if meters != nil {
		h.measure(meters)
	}
	return h, nil
}

// measure gives h the pipeline of metrics.
func (h *Handle) measure(m *meters) {
	h.meters, h.scrape = m.provider, m.endpoint
	h.signals = append(h.signals, signal{flush: m.provider.ForceFlush, shutdown: func(ctx context.Context) error {
		return m.provider.Shutdown(export.Last(ctx))
	}})
	if m.endpoint != nil {
		h.signals = append(h.signals, signal{flush: func(context.Context) error { return nil }, shutdown: m.endpoint.Shutdown})
	}
}

// closeSignals ends what was made for a set-up that failed.
func (h *Handle) closeSignals(ctx context.Context) error {
	return h.all(ctx, func(s signal) func(context.Context) error { return s.shutdown })
}

// trace gives h the pipeline of spans.
func (h *Handle) trace(t *traces) {
	h.batch, h.provider = t.batch, t.provider
	h.signals = append(h.signals, signal{flush: t.sdk.ForceFlush, shutdown: t.shutdown})
	h.retire = func() {
		h.release()
		seam.CloseOpen(nil, truncatedReason, t.open.take())
	}
}

// install makes h the set-up of the process.
func (h *Handle) install() {
	process.mu.Lock()
	defer process.mu.Unlock()
	process.current = h
	silence()
	if h.provider != nil {
		otel.SetTracerProvider(h.provider)
		seam.SetProvider(nil, h.provider)
	}
	if h.meters != nil {
		otel.SetMeterProvider(h.meters)
		seam.SetMeterProvider(h.meters)
	}
	if h.logs != nil {
		logsink.Set(h.logs)
	}
}

// release takes h out of the process: package lens and package metrics record nothing from here on, nor does what asks
// OpenTelemetry's global providers, if those are still ours.
func (h *Handle) release() {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.current != h {
		return
	}
	process.current = nil
	silence()
	if h.provider != nil && otel.GetTracerProvider() == trace.TracerProvider(h.provider) {
		otel.SetTracerProvider(noop.NewTracerProvider())
	}
	if h.meters != nil && otel.GetMeterProvider() == metric.MeterProvider(h.meters) {
		otel.SetMeterProvider(nometer.NewMeterProvider())
	}
}

// newExporter returns the caller's exporter, or makes the one that c names; nil when that is none.
func newExporter(ctx context.Context, c Config, o option.Set, log *slog.Logger) (sdktrace.SpanExporter, error) {
	if o.Exporter != nil {
		return o.Exporter, nil
	}
	name, err := c.exporterFor("TRACES", log)
	switch {
	case err != nil:
		return nil, err
	case name == ExporterConsole:
		return export.NewConsole(os.Stdout), nil
	case name == ExporterNone:
		return nil, nil
	}
	return export.NewOTLP(ctx, otlpConfig(c, log))
}
