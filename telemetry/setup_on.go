//go:build !lens_off

package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// truncatedReason is written on spans that a shutdown ends.
const truncatedReason = "still open when telemetry was shut down"

// pipeline is what a Handle has of traces; empty when none are exported.
type pipeline struct {
	batch    *export.Batch
	provider *provider
}

func (p pipeline) stats() Stats {
	if p.batch == nil {
		return Stats{}
	}
	s := p.batch.Stats()
	return Stats{Ended: s.Ended, Exported: s.Exported, Dropped: s.Dropped, Failed: s.Failed}
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
	if h.batch != nil {
		installPropagator(log)
	}
	lens.SetSpec(c.SpanGroups)
	return h, nil
}

// silence gives package lens a provider that records nothing.
func silence() { seam.SetProvider(nil, noop.NewTracerProvider()) }

// build makes the pipelines of an enabled set-up. It changes nothing in the process.
func build(ctx context.Context, c Config, o option.Set, log *slog.Logger) (*Handle, error) {
	h := newHandle(c.RunID)
	h.retire = h.release
	if !c.TracesEnabled {
		return h, nil
	}
	exporter, err := newExporter(ctx, c, o, log)
	if err != nil {
		return nil, err
	}
	t := newTraces(exporter, c, o, log)
	h.pipeline = pipeline{t.batch, t.provider}
	h.signals = append(h.signals, signal{flush: t.sdk.ForceFlush, shutdown: t.shutdown})
	h.retire = func() {
		h.release()
		seam.CloseOpen(nil, truncatedReason, t.open.take())
	}
	return h, nil
}

// install makes h the set-up of the process.
func (h *Handle) install() {
	process.mu.Lock()
	defer process.mu.Unlock()
	process.current = h
	if h.provider == nil {
		silence()
		return
	}
	otel.SetTracerProvider(h.provider)
	seam.SetProvider(nil, h.provider)
}

// release takes h out of the process: package lens records nothing from here on, nor does what asks OpenTelemetry's global
// provider, if that is still ours.
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
}

// newExporter returns the caller's exporter, or makes the one that c names.
func newExporter(ctx context.Context, c Config, o option.Set, log *slog.Logger) (sdktrace.SpanExporter, error) {
	if o.Exporter != nil {
		return o.Exporter, nil
	}
	switch name := strings.ToLower(strings.TrimSpace(c.Exporter)); name {
	case "", ExporterOTLP:
		return export.NewOTLP(ctx, log)
	case ExporterConsole:
		return export.NewConsole(os.Stdout), nil
	default:
		return nil, fmt.Errorf("unknown exporter %q; use %q or %q", c.Exporter, ExporterOTLP, ExporterConsole)
	}
}
