//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry"
)

// What the SDK passes over without a word is said, once each, and for signals that are on only.
func TestSetup_variables_of_the_SDK(t *testing.T) {
	bad := []string{"OTEL_METRICS_EXEMPLAR_FILTER=sometimes", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=Deltas",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=summary", "OTEL_METRIC_EXPORT_TIMEOUT=10s",
		"OTEL_SPAN_EVENT_COUNT_LIMIT=many", "OTEL_ATTRIBUTE_COUNT_LIMIT= 12", "OTEL_BLRP_MAX_QUEUE_SIZE=0"}
	good := []string{"OTEL_METRICS_EXEMPLAR_FILTER= Always_Off ", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=DELTA",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=base2_exponential_bucket_histogram", "OTEL_METRIC_EXPORT_TIMEOUT=10",
		"OTEL_SPAN_EVENT_COUNT_LIMIT=-1", "OTEL_ATTRIBUTE_COUNT_LIMIT=12", "OTEL_BLRP_MAX_QUEUE_SIZE= "}
	for _, c := range []struct {
		name  string
		env   []string
		on    bool
		warns int
	}{{"good", good, true, 0}, {"bad", bad, true, len(bad)}, {"bad, and nobody reads them", bad, false, 0}} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, c.env...)
			conf := config()
			conf.Exporter, conf.TracesEnabled, conf.MetricsEnabled, conf.LogsEnabled = "otlp", c.on, c.on, c.on
			var said bytes.Buffer
			h, err := telemetry.Setup(t.Context(), conf, telemetry.WithLogger(textLogger(&said)))
			if err != nil {
				t.Fatal(err)
			}
			cleanup(t, h)
			if n := strings.Count(said.String(), "the default stands"); n != c.warns {
				t.Errorf("%d warnings, want %d:\n%s", n, c.warns, &said)
			}
			for _, kv := range c.env[:c.warns] {
				name, value, _ := strings.Cut(kv, "=")
				contains(t, said.String(), name+" is not ", value)
			}
		})
	}
}
