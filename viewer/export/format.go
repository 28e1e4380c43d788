package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Format is how an export is written.
type Format string

// The formats.
const (
	OTLPJSON  Format = "otlp-json"  // the OTLP JSON file format: one request a line
	OTLPProto Format = "otlp-proto" // one OTLP message in protobuf
	Chrome    Format = "chrome"     // Trace Event Format, for ui.perfetto.dev and chrome://tracing
	CSV       Format = "csv"        // a table, RFC 4180
)

// Formats lists the formats, the default first.
var Formats = []Format{OTLPJSON, OTLPProto, Chrome, CSV}

// ParseFormat reads the name of a format. "perfetto" is another name of [Chrome].
func ParseFormat(name string) (Format, error) {
	if name == "perfetto" {
		return Chrome, nil
	}
	return oneOf("format", name, Formats)
}

// FormatOf is the format that a file's name speaks of: .csv, .jsonl, .pb and .binpb, also with .gz or .zst behind it. Other names say
// nothing, and are [OTLPJSON].
func FormatOf(path string) Format {
	path, _ = cutCompression(path)
	switch filepath.Ext(path) {
	case ".csv":
		return CSV
	case ".pb", ".binpb":
		return OTLPProto
	}
	return OTLPJSON
}

// Signal is a kind of telemetry.
type Signal string

// The signals.
const (
	Traces  Signal = "traces"
	Metrics Signal = "metrics"
	Logs    Signal = "logs"
)

// ParseSignal reads the name of a signal.
func ParseSignal(name string) (Signal, error) {
	return oneOf("signal", name, []Signal{Traces, Metrics, Logs})
}

// Table is what the rows of a CSV file are.
type Table string

// The tables.
const (
	Spans    Table = "spans"
	Rollouts Table = "rollouts"
	TraceRow Table = "traces"
)

// ParseTable reads the name of a table.
func ParseTable(name string) (Table, error) {
	return oneOf("table", name, []Table{Spans, Rollouts, TraceRow})
}

func oneOf[T ~string](what, name string, all []T) (T, error) {
	if slices.Contains(all, T(name)) {
		return T(name), nil
	}
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = string(n)
	}
	return "", fmt.Errorf("unknown %s %q: must be one of %s", what, name, strings.Join(names, ", "))
}
