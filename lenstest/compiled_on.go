//go:build !lens_off

package lenstest

import (
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// compiled is false in a build that leaves telemetry out, where there is nothing to find.
const compiled = true

// connect makes the registry start its spans with the provider.
func connect(r *lens.Registry, tp trace.TracerProvider) { seam.SetProvider(r, tp) }

func propagator() propagation.TextMapPropagator { return seam.Propagator() }

func setPropagator(p propagation.TextMapPropagator) { seam.SetPropagator(p) }
