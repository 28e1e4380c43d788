//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry"
)

const linkPrometheus = `import _ \"github.com/lensgo/lens/telemetry/export/prometheus\"`

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
		{name: "several for metrics", env: []string{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=console,otlp,console"}, metrics: true},
		{name: "one of them that there is not", env: []string{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=statsd,console"}, metrics: true, says: "statsd"},
		{name: "none beside others", env: []string{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none,console"}, metrics: true, says: "names none beside"},
		{name: "prometheus for traces", env: []string{"OTEL_TRACES_EXPORTER=prometheus"}, traces: true, metrics: true, says: "exporter=prometheus"},
		{name: "prometheus, not linked", env: []string{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=prometheus"}, says: linkPrometheus},
		{name: "prometheus, not linked, and another", env: []string{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=prometheus,console"},
			metrics: true, says: linkPrometheus},
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
