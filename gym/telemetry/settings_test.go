package telemetry

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestParseSettings(t *testing.T) {
	for _, c := range []struct {
		name, block string
		want        Settings
	}{
		{"no block", "", Settings{}},
		{"blanks", " \n", Settings{}},
		{"null", "null", Settings{}},
		{"empty", "{}", Settings{}},
		{"unknown keys", `{"enabled":true,"colour":"blue","nested":{"a":[1]}}`, Settings{Enabled: new(true)}},
		{"nulls", `{"enabled":null,"exporter":null,"memory_profiling":null}`, Settings{}},
		{"everything", `{"enabled":true,"service_name":"s","service_name_per_server":false,"span_groups":"all",
			"traces_enabled":true,"metrics_enabled":false,"logs_enabled":true,"exporter":"console","otlp_endpoint":"http://x",
			"otlp_protocol":"http/protobuf","otlp_headers":"a=b","instrument_aiohttp":false,"run_id":"r",
			"memory_profiling":{"enabled":true,"interval_seconds":0.5}}`, Settings{
			Enabled: new(true), ServiceName: "s", ServiceNamePerServer: new(false), SpanGroups: "all",
			TracesEnabled: new(true), MetricsEnabled: new(false), LogsEnabled: new(true), Exporter: "console",
			OTLPEndpoint: "http://x", OTLPProtocol: "http/protobuf", OTLPHeaders: "a=b", InstrumentAIOHTTP: new(false), RunID: "r",
			MemoryProfiling: MemoryProfiling{Enabled: new(true), IntervalSeconds: new(0.5)},
		}},
		// What YAML 1.1 calls a boolean.
		{"words", `{"enabled":"on","logs_enabled":"No","traces_enabled":1,"metrics_enabled":0}`,
			Settings{Enabled: new(true), LogsEnabled: new(false), TracesEnabled: new(true), MetricsEnabled: new(false)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ParseSettings(jsontext.Value(c.block)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A block that cannot be used turns telemetry off and says so. It is never an error.
func TestParseSettings_wrong(t *testing.T) {
	for _, c := range []struct{ block, says string }{
		{`"on"`, "off"},
		{`[true]`, "off"},
		{`true`, "off"},
		{`{"enabled":"perhaps"}`, "perhaps"},
		{`{"enabled":2}`, "2"},
		{`{"enabled":true,"exporter":7}`, "exporter"},
		{`{"enabled":true,"memory_profiling":[]}`, "memory_profiling"},
		{`{"enabled":true,"memory_profiling":{"interval_seconds":0}}`, "above 0"},
		{`{"enabled":true,"memory_profiling":{"interval_seconds":-1}}`, "above 0"},
		{`{"enabled":true`, "off"},
	} {
		t.Run(c.block, func(t *testing.T) {
			env := envOf()
			d := ParseSettings(jsontext.Value(c.block)).Export(env)
			if d.Enabled || len(d.Warnings) != 1 {
				t.Fatalf("decision %+v", d)
			}
			contains(t, d.Warnings[0], "telemetry: block", c.says)
			wantEnv(t, env)
		})
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, s := range []string{"", "null", "{}", `{"enabled":true}`, `{"enabled":"yes","run_id":"r"}`, `[1]`, `{"memory_profiling":{"interval_seconds":1e999}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, block string) {
		env := envOf()
		d := ParseSettings(jsontext.Value(block)).Export(env)
		if !d.Enabled && len(env) > 0 {
			t.Errorf("off, and wrote %v", env)
		}
		if d.Enabled && (d.RunID == "" || env["NEMO_GYM_OTEL_ENABLED"] != "1") {
			t.Errorf("on without a run id or a word to the children: %+v, %v", d, env)
		}
	})
}
