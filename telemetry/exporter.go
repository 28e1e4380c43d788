//go:build !lens_off

package telemetry

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
)

// signalMetrics is the only signal of which several exporters are taken, and the only one that Prometheus fetches.
const signalMetrics = "METRICS"

// exporterPrometheus may be named for metrics only.
const exporterPrometheus = "prometheus"

// exporterFor says which exporter a signal has (TRACES, METRICS); of several the first.
func (c Config) exporterFor(signal string, log *slog.Logger) (string, error) {
	names, err := c.exportersFor(signal, log)
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// exportersFor says which exporters a signal has, at least one: the one that c names; then those of OpenTelemetry's variable for the
// signal; then OTLP. What the variable names and cannot be is warned about.
func (c Config) exportersFor(signal string, log *slog.Logger) ([]string, error) {
	if name := strings.ToLower(strings.TrimSpace(c.Exporter)); name != "" {
		if !known(name) {
			return nil, unknownExporter(c)
		}
		return []string{name}, nil
	}
	variable := "OTEL_" + signal + "_EXPORTER"
	var names []string
	for name := range strings.SplitSeq(strings.ToLower(os.Getenv(variable)), ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "" || slices.Contains(names, name):
		case known(name) || name == exporterPrometheus && signal == signalMetrics:
			names = append(names, name)
		default:
			log.Warn("telemetry: "+variable+" names an exporter that there is not; otlp, console and none are there, and prometheus for metrics. "+
				"It is left out, and without another one otlp is taken", "exporter", name)
		}
	}
	switch {
	case len(names) == 0:
		return []string{ExporterOTLP}, nil
	case len(names) == 1:
	case signal != signalMetrics:
		log.Warn("telemetry: "+variable+" names several exporters; the first is taken", "taken", names[0], "left_out", strings.Join(names[1:], ","))
		names = names[:1]
	case slices.Contains(names, ExporterNone):
		log.Warn("telemetry: " + variable + " names none beside exporters; they are taken")
		names = slices.DeleteFunc(names, func(name string) bool { return name == ExporterNone })
	}
	return names, nil
}

func known(exporter string) bool {
	return exporter == ExporterOTLP || exporter == ExporterConsole || exporter == ExporterNone
}

func unknownExporter(c Config) error {
	return fmt.Errorf("unknown exporter %q; use %q, %q or %q (and OTEL_METRICS_EXPORTER for prometheus)", c.Exporter, ExporterOTLP, ExporterConsole, ExporterNone)
}
