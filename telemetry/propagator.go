//go:build !lens_off

package telemetry

import (
	"log/slog"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/lensotel"
)

// envPropagators names the propagators, comma separated.
const envPropagators = "OTEL_PROPAGATORS"

// installPropagator makes this process speak the headers that OTEL_PROPAGATORS names, both through lens and through
// OpenTelemetry's global, so that other instrumentations join the same traces.
func installPropagator(log *slog.Logger) {
	p := propagator(propagators(log))
	otel.SetTextMapPropagator(p)
	seam.SetPropagator(p)
}

// propagators are those that OTEL_PROPAGATORS names; what is none of ours is warned about.
func propagators(log *slog.Logger) []string {
	names, unknown := propagatorNames(os.Getenv(envPropagators))
	if len(unknown) > 0 {
		log.Warn("telemetry: "+envPropagators+" names propagators that are not supported, they are left out",
			"unknown", unknown, "used", names, "supported", []string{"tracecontext", "baggage", "none"})
	}
	return names
}

// propagatorNames parses the variable. Empty, or nothing but unknown names, means the default: an unusable setting must
// not cut traces. "none" alone switches propagation off; beside other names it is nothing.
func propagatorNames(text string) (names, unknown []string) {
	none := false
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "":
		case "none":
			none = true
		case "tracecontext", "baggage":
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		default:
			unknown = append(unknown, name)
		}
	}
	if len(names) == 0 && !none {
		names = []string{"tracecontext", "baggage"}
	}
	return names, unknown
}

func propagator(names []string) propagation.TextMapPropagator {
	var all []propagation.TextMapPropagator
	for _, name := range names {
		switch name {
		case "tracecontext":
			all = append(all, lensotel.TraceContext{})
		case "baggage":
			all = append(all, propagation.Baggage{})
		}
	}
	return propagation.NewCompositeTextMapPropagator(all...)
}
