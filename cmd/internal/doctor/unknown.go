package doctor

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	gymtelemetry "github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/internal/typo"
)

// More variables with the prefixes than package telemetry reads.
var prefixed = map[string][]string{
	DefaultPrefix: {"GROUP_ATTRIBUTE", "PROMETHEUS_TARGETS"},
	gymtelemetry.Prefix: {
		"SERVICE_NAME_PER_SERVER", "CONTENT", "MEMORY_PROFILING_ENABLED", "MEMORY_PROFILING_INTERVAL_SECONDS", "INSTRUMENT_AIOHTTP",
	},
}

// standard are the variables of OpenTelemetry's specification.
var standard = func() []string {
	list := []string{
		"OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_PROPAGATORS", "OTEL_LOG_LEVEL", "OTEL_CONFIG_FILE",
		"OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER",
		"OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT", "OTEL_METRICS_EXEMPLAR_FILTER",
		"OTEL_EXPORTER_PROMETHEUS_HOST", "OTEL_EXPORTER_PROMETHEUS_PORT",
		"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
		"OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
		"OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT",
		"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
	}
	for _, processor := range []string{"BSP", "BLRP"} {
		for _, key := range []string{"SCHEDULE_DELAY", "EXPORT_TIMEOUT", "MAX_QUEUE_SIZE", "MAX_EXPORT_BATCH_SIZE"} {
			list = append(list, "OTEL_"+processor+"_"+key)
		}
	}
	for _, signal := range []string{"", "TRACES_", "METRICS_", "LOGS_"} {
		for _, key := range []string{"ENDPOINT", "PROTOCOL", "HEADERS", "COMPRESSION", "TIMEOUT", "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY", "INSECURE"} {
			list = append(list, "OTEL_EXPORTER_OTLP_"+signal+key)
		}
	}
	return append(list, "ENABLE_SINGLE_TRACEID")
}()

// unknownVariables tells of variables that nothing reads, with those that were perhaps meant.
func (e *examination) unknownVariables() {
	known := e.knownVariables()
	for _, name := range environment() {
		if slices.Contains(known, name) {
			continue
		}
		ours := slices.ContainsFunc(e.prefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix+"_") })
		switch meant := near(name, known); {
		case meant != "" && len(name) >= leastName:
			e.report.add(Problem, "variable_misspelt", "", fmt.Sprintf("Nothing reads the variable %s: did you mean %s?", name, meant))
		case ours, strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_"):
			e.report.add(Note, "variable_unknown", "", fmt.Sprintf("Nothing here reads the variable %s.", name))
		}
	}
}

// leastName is the length from which a name can be a misspelling of one of ours.
const leastName = len("NEMO_LENS")

// knownVariables are the full names of all that is read.
func (e *examination) knownVariables() []string {
	known := slices.Clone(standard)
	for _, prefix := range slices.Compact([]string{e.options.Prefix, DefaultPrefix, gymtelemetry.Prefix}) {
		for key := range maps.Keys(e.variables) {
			known = append(known, prefix+"_"+key)
		}
		for _, key := range prefixed[prefix] {
			known = append(known, prefix+"_"+key)
		}
	}
	slices.Sort(known)
	return known
}

// environment lists the names of variables.
func environment() (names []string) {
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if strings.TrimSpace(value) != "" && len(name) <= longestName {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// longestName bounds what is compared, since the work grows with the product of two lengths.
const longestName = 80

// near is the name that the fewest edits lead to, if those are few; also one in another case.
func near(name string, names []string) string {
	best, fewest := "", 1+max(1, min(2, len(name)/4))
	for _, n := range names {
		if d := typo.Distance(strings.ToUpper(name), strings.ToUpper(n)); d < fewest {
			best, fewest = n, d
		}
	}
	return best
}
