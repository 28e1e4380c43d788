package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// ErrInitialised is what [Setup] returns when this process has an enabled set-up that was not shut down.
var ErrInitialised = errors.New("telemetry has already been initialised in this process; " +
	"shut its handle down first, use telemetry.Current, or give telemetry.WithReinit")

// process is what one process has once.
var process struct {
	setup   sync.Mutex // one Setup at a time
	mu      sync.Mutex // guards current and the switching of providers; no foreign code runs under it
	current *Handle    // the enabled set-up; nil when there is none
}

// truncatedReason is written on spans that a shutdown ends.
const truncatedReason = "still open when telemetry was shut down"

// Current returns the Handle of the enabled set-up of this process, nil when there is none or it has been shut down.
func Current() *Handle {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.current
}

// Setup turns telemetry on in this process, as c says, and returns the Handle to shut it down with.
//
// Disabled: package lens gets a provider that records nothing and the empty set of groups is pinned, so that no library
// that registers later opens one. OpenTelemetry's globals stay as they are, nothing is detected and no goroutine starts.
// It may be repeated. OTEL_SDK_DISABLED=true disables too, whatever c says.
//
// Enabled: traces go through a batch processor to the exporter. The provider and the propagator become those of package
// lens and also OpenTelemetry's globals, so that instrumentations written against OpenTelemetry join the same traces. A
// second enabled Setup is [ErrInitialised]; after Shutdown, or with [WithReinit], it is fine. With TracesEnabled off no
// span is recorded and the globals stay.
//
// What cannot work is an error that says what would: an unknown exporter or protocol, an endpoint that is no URL. The
// process is then as it was before. A span group that nobody knows is none of them: package lens warns about it.
//
// Nothing is sent by Setup itself, so a collector that is down is found out by the first export: counted, said once, and
// no reason to stop. ctx bounds Setup only.
func Setup(ctx context.Context, c Config, opts ...Option) (*Handle, error) {
	process.setup.Lock()
	defer process.setup.Unlock()

	if ctx == nil {
		ctx = context.Background()
	}
	o := option.Collect(opts)
	log := o.Logger
	if log == nil {
		log = slog.New(defaultHandler{})
	}
	c.EnsureRunID()
	if c.Enabled && sdkDisabled() {
		log.Info("telemetry: off, because OTEL_SDK_DISABLED is true")
		c.Enabled = false
	}
	if !c.Enabled {
		return disable(c), nil
	}
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

// sdkDisabled follows the OpenTelemetry specification: only "true", in any case, disables.
func sdkDisabled() bool {
	return strings.EqualFold(strings.TrimSpace(os.Getenv("OTEL_SDK_DISABLED")), "true")
}

func disable(c Config) *Handle {
	seam.SetProvider(nil, noop.NewTracerProvider())
	lens.Pin()
	return newHandle(c.RunID)
}

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
	h.batch, h.provider = t.batch, t.provider
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
		seam.SetProvider(nil, noop.NewTracerProvider())
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
	seam.SetProvider(nil, noop.NewTracerProvider())
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
