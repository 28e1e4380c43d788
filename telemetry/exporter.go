//go:build !lens_off

package telemetry

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"strings"
)

// exporterFor says which exporter a signal has (TRACES, METRICS): the one that c names; then that of OpenTelemetry's variable
// for the signal, of which a value that is none of ours is warned about; then OTLP.
func (c Config) exporterFor(signal string, log *slog.Logger) (string, error) {
	if name := strings.ToLower(strings.TrimSpace(c.Exporter)); name != "" {
		if !known(name) {
			return "", unknownExporter(c)
		}
		return name, nil
	}
	variable := "OTEL_" + signal + "_EXPORTER"
	text := strings.ToLower(strings.TrimSpace(os.Getenv(variable)))
	if text == "" {
		return ExporterOTLP, nil
	}
	first, rest, several := strings.Cut(text, ",")
	name := cmp.Or(strings.TrimSpace(first), ExporterOTLP)
	if !known(name) {
		log.Warn("telemetry: "+variable+" names an exporter that there is not; otlp, console and none are there, and otlp is taken",
			"value", text)
		return ExporterOTLP, nil
	}
	if several {
		log.Warn("telemetry: "+variable+" names several exporters; the first is taken", "taken", name, "left_out", rest)
	}
	return name, nil
}

func known(exporter string) bool {
	return exporter == ExporterOTLP || exporter == ExporterConsole || exporter == ExporterNone
}

func unknownExporter(c Config) error {
	return fmt.Errorf("unknown exporter %q; use %q, %q or %q", c.Exporter, ExporterOTLP, ExporterConsole, ExporterNone)
}
