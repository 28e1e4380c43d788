//go:build !lens_off

package telemetry

import (
	"context"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/internal/seam"
)

// withAttributes is the processor that writes the attributes of lens.With on spans that other instrumentations start. It
// comes first, so that all others see them. Package lens writes them on what goes through it by itself, under any provider.
type withAttributes struct{}

var _ sdktrace.SpanProcessor = withAttributes{}

// OnStart adds the attributes whose keys the span does not have.
func (withAttributes) OnStart(ctx context.Context, s sdktrace.ReadWriteSpan) {
	if throughLens(s) {
		return
	}
	if list := seam.With(ctx, s); len(list) > 0 {
		s.SetAttributes(list...)
	}
}

// OnEnd, ForceFlush and Shutdown have nothing to do.

func (withAttributes) OnEnd(sdktrace.ReadOnlySpan)      {}
func (withAttributes) ForceFlush(context.Context) error { return nil }
func (withAttributes) Shutdown(context.Context) error   { return nil }
