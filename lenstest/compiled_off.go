//go:build lens_off

package lenstest

import (
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
)

// compiled is false in a build that leaves telemetry out, where there is nothing to find.
const compiled = false

// connect has nothing to do: no registry ever starts a span.
func connect(*lens.Registry, trace.TracerProvider) {}

func propagator() propagation.TextMapPropagator { return nil }

func setPropagator(propagation.TextMapPropagator) {}
