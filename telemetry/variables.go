//go:build !lens_off

package telemetry

import (
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
)

// variable is one that the SDK or a stock exporter reads by itself. It passes a value over that it does not know, and says so to
// nobody, or to OpenTelemetry's own log, which is off.
type variable struct {
	name  string
	words []string // what it may be, in any case; without any it is a number
	least int      // of a number
}

// anything is the least number of a limit: a negative one is none.
const anything = -1 << 31

// Variables by the signal that they matter to.
var (
	traceVariables = []variable{
		{name: "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", least: anything},
		{name: "OTEL_ATTRIBUTE_COUNT_LIMIT", least: anything},
		{name: "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", least: anything},
		{name: "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", least: anything},
		{name: "OTEL_SPAN_EVENT_COUNT_LIMIT", least: anything},
		{name: "OTEL_SPAN_LINK_COUNT_LIMIT", least: anything},
		{name: "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", least: anything},
		{name: "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT", least: anything},
	}
	metricVariables = []variable{
		{name: "OTEL_METRIC_EXPORT_TIMEOUT", least: 1},
		{name: "OTEL_METRICS_EXEMPLAR_FILTER", words: []string{"trace_based", "always_on", "always_off"}},
		{name: "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", words: []string{"cumulative", "delta", "lowmemory"}},
		{name: "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
			words: []string{"explicit_bucket_histogram", "base2_exponential_bucket_histogram"}},
	}
	logVariables = []variable{
		{name: "OTEL_BLRP_SCHEDULE_DELAY", least: 1},
		{name: "OTEL_BLRP_EXPORT_TIMEOUT", least: 1},
		{name: "OTEL_BLRP_MAX_QUEUE_SIZE", least: 1},
		{name: "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", least: 1},
	}
)

// sayUnusable warns about the values that will be passed over.
func sayUnusable(list []variable, log *slog.Logger) {
	for _, v := range list {
		text := os.Getenv(v.name)
		if strings.TrimSpace(text) != "" && !v.takes(text) {
			log.Warn("telemetry: "+v.name+" is not "+v.wants()+"; the default stands", "value", text)
		}
	}
}

func (v variable) takes(text string) bool {
	if len(v.words) > 0 {
		return slices.Contains(v.words, strings.ToLower(strings.TrimSpace(text)))
	}
	n, err := strconv.Atoi(text) // a blank beside it is too much for the SDK
	return err == nil && n >= v.least
}

func (v variable) wants() string {
	switch {
	case len(v.words) > 0:
		return strings.Join(v.words[:len(v.words)-1], ", ") + " or " + v.words[len(v.words)-1]
	case v.least == anything:
		return "a whole number"
	}
	return "a whole number above 0"
}
