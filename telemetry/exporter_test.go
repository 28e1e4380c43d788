//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry"
)

// An explicit exporter wins, then OpenTelemetry's variable of the signal, then OTLP.
func TestSetup_exporters_of_the_environment(t *testing.T) {
	for _, c := range []struct {
		name, exporter  string
		env             []string
		traces, metrics bool
		says            string
	}{
		{name: "nothing", traces: true, metrics: true},
		{name: "none for both", env: []string{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=None"}},
		{name: "none for metrics", env: []string{"OTEL_METRICS_EXPORTER=none"}, traces: true},
		{name: "explicit over none", exporter: "otlp", env: []string{"OTEL_TRACES_EXPORTER=none"}, traces: true, metrics: true},
		{name: "explicit none", exporter: "none"},
		{name: "one that there is not", env: []string{"OTEL_TRACES_EXPORTER=zipkin"}, traces: true, metrics: true, says: "zipkin"},
		{name: "several", env: []string{"OTEL_TRACES_EXPORTER=none, otlp"}, metrics: true, says: "otlp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, c.env...)
			conf := config()
			conf.Exporter, conf.MetricsEnabled = c.exporter, true
			var said bytes.Buffer
			h, err := telemetry.Setup(t.Context(), conf, telemetry.WithLogger(slog.New(slog.NewTextHandler(&said, nil))))
			if err != nil {
				t.Fatal(err)
			}
			if h.Tracing() != c.traces || h.Exporting() != (c.traces || c.metrics) {
				t.Errorf("tracing %v, exporting %v", h.Tracing(), h.Exporting())
			}
			if !strings.Contains(said.String(), c.says) || c.says == "" && said.Len() > 0 {
				t.Errorf("the log says %q", said.String())
			}
			cleanup(t, h)
		})
	}
}
