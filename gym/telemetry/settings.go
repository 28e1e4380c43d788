package telemetry

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/telemetry"
)

// Settings is the telemetry: block of a configuration. What is nil or empty was not set, so that its default, or what the
// environment says, stands. The zero Settings sets nothing: telemetry is off unless the environment turns it on.
type Settings struct {
	Enabled              *bool  `json:"enabled"`                 // record anything at all
	ServiceName          string `json:"service_name"`            // the name of the run (default nemo-gym)
	ServiceNamePerServer *bool  `json:"service_name_per_server"` // add the name of the instance to it (default true)
	SpanGroups           string `json:"span_groups"`             // what is recorded: presets and groups, with commas between (default default)
	TracesEnabled        *bool  `json:"traces_enabled"`          // record traces (default true)
	MetricsEnabled       *bool  `json:"metrics_enabled"`         // record metrics (default true)
	LogsEnabled          *bool  `json:"logs_enabled"`            // export what servers log, from Info on (default false)
	Exporter             string `json:"exporter"`                // otlp, or console: one JSON object a line on standard output (default otlp)
	OTLPEndpoint         string `json:"otlp_endpoint"`           // the collector (default http://localhost:4318)
	OTLPProtocol         string `json:"otlp_protocol"`           // http/protobuf or http/json (default http/protobuf)
	OTLPHeaders          string `json:"otlp_headers"`            // for the collector: name=value, with commas between
	RunID                string `json:"run_id"`                  // the id of the run (default SLURM_JOB_ID, else a new one)

	// Content puts what was said on spans: messages, arguments and results of tools. See [Content].
	Content *bool `json:"content"`

	// InstrumentAIOHTTP is for Python servers of the same run; it is handed down and means nothing here.
	InstrumentAIOHTTP *bool `json:"instrument_aiohttp"`

	MemoryProfiling MemoryProfiling `json:"memory_profiling"` // the memory of servers and host, sampled

	problem string // why the block could not be used
}

// MemoryProfiling asks for the memory use of the servers.
type MemoryProfiling struct {
	Enabled         *bool    `json:"enabled"`          // sample it
	IntervalSeconds *float64 `json:"interval_seconds"` // between two samples, above 0 (default 1)
}

// ParseSettings reads the block from JSON. It never fails: no block and null set nothing, and a block that cannot be used (a
// wrong type, an interval that is not above 0) turns telemetry off, which [Settings.Export] says in a warning. Unknown
// keys are allowed.
func ParseSettings(block jsontext.Value) Settings {
	if len(bytes.TrimSpace(block)) == 0 {
		return Settings{}
	}
	var s Settings
	err := json.Unmarshal(block, &s, json.WithUnmarshalers(json.UnmarshalFromFunc(readBool)))
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return Settings{Enabled: new(false), problem: "the telemetry: block cannot be used, so telemetry is off: " +
			strings.TrimPrefix(err.Error(), "json: ")}
	}
	return s
}

// readBool also takes the words that YAML 1.1, and so the Python systems, read as booleans, and 1 and 0.
func readBool(d *jsontext.Decoder, to *bool) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	text := string(v)
	if v.Kind() == '"' {
		if err := json.Unmarshal(v, &text); err != nil {
			return err
		}
	}
	b, ok := telemetry.ParseBool(text)
	if !ok {
		return fmt.Errorf("%s is not a boolean; use true or false", v)
	}
	*to = b
	return nil
}

// check refuses values that have the right type and no meaning.
func (s Settings) check() error {
	if i := s.MemoryProfiling.IntervalSeconds; i != nil && !(*i > 0) {
		return fmt.Errorf("memory_profiling.interval_seconds is %v; it must be above 0", *i)
	}
	return nil
}
