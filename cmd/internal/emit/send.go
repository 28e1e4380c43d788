package emit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// Target is where spans go.
type Target struct {
	Service string        // service.name
	Parent  lens.Ref      // of those that have none in the list; not valid: they are roots
	Timeout time.Duration // for the export
	Logger  *slog.Logger
}

// Errors of [Target.Send] that say that spans were on their way.
var (
	ErrTimeout = errors.New("timed out while flushing spans")
	ErrExport  = errors.New("failed to export spans")
)

// flushEvery is after how many spans those so far are sent, so that no queue runs over.
const flushEvery = 1000

// Send emits spans, of which each stands behind its parent, as NEMO_LENS_EXPORTER and OTEL_* say; whether NEMO_LENS_ENABLED is set does
// not matter. It returns what names the spans, in their order. What is on disk until the collector takes it, since NEMO_LENS_SPOOL is
// set, is no error: the logger is told.
func (t Target) Send(ctx context.Context, spans []*Span) ([]lens.Ref, error) {
	h, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	refs, err := t.emit(ctx, h, spans)
	err = errors.Join(err, h.Shutdown(ctx))
	stats := h.Stats()
	switch lost := stats.Failed + stats.Dropped; {
	case ctx.Err() != nil:
		return refs, fmt.Errorf("%w after %v: %w", ErrTimeout, t.Timeout, err)
	case err != nil:
		return refs, fmt.Errorf("%w: %w", ErrExport, err)
	case lost > 0:
		return refs, fmt.Errorf("%w: %d of %d did not leave", ErrExport, lost, stats.Ended)
	}
	return refs, nil
}

// open sets telemetry up for spans alone.
func (t Target) open(ctx context.Context) (*telemetry.Handle, error) {
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		return nil, err
	}
	c.Enabled, c.TracesEnabled, c.MetricsEnabled, c.LogsEnabled = true, true, false, false
	c.ServiceName, c.SpanGroups = t.Service, "" // these spans belong to no group
	h, err := telemetry.Setup(ctx, c, telemetry.WithLogger(t.Logger), telemetry.WithoutReport())
	if err != nil {
		return nil, err
	}
	if !h.Tracing() {
		return nil, errors.New("cannot emit spans: OTEL_SDK_DISABLED is true")
	}
	return h, nil
}

func (t Target) emit(ctx context.Context, h *telemetry.Handle, spans []*Span) (refs []lens.Ref, err error) {
	named := map[string]lens.Ref{"": t.Parent}
	for i, s := range spans {
		above := lens.WithParent(lens.Detach(ctx), named[s.Parent])
		//lensvet:ignore spanname whoever calls the command names the spans
		ref := lens.EmitWith(above, s.Name, s.config())
		named[s.Name], refs = ref, append(refs, ref)
		if (i+1)%flushEvery == 0 {
			if err := h.ForceFlush(ctx); err != nil {
				return refs, err
			}
		}
	}
	return refs, nil
}
