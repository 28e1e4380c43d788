package telemetry

import (
	"errors"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	on := Settings{Enabled: new(true), RunID: "r"}
	with := func(change func(*Settings)) Settings { s := on; change(&s); return s }
	for _, c := range []struct {
		name     string
		settings Settings
		env      []string
		enabled  bool
		want     []string // what env is afterwards
		warns    []string // parts, one warning each
	}{
		{"nothing set", Settings{}, nil, false, nil, nil},
		{"off writes nothing", Settings{Enabled: new(false), SpanGroups: "all", OTLPEndpoint: "http://x"}, nil, false, nil, nil},
		{"on", on, nil, true, []string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"everything lands in the environment", Settings{
			Enabled: new(true), ServiceName: "s", ServiceNamePerServer: new(false), SpanGroups: "all", TracesEnabled: new(true),
			MetricsEnabled: new(false), LogsEnabled: new(true), Exporter: "otlp", OTLPEndpoint: "http://x", OTLPProtocol: "p",
			OTLPHeaders: "a=b", InstrumentAIOHTTP: new(false), RunID: "r",
			MemoryProfiling: MemoryProfiling{Enabled: new(true), IntervalSeconds: new(0.5)},
		}, nil, true, []string{
			"NEMO_GYM_OTEL_ENABLED=1", "OTEL_SERVICE_NAME=s", "NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER=0",
			"NEMO_GYM_OTEL_SPAN_GROUPS=all", "NEMO_GYM_OTEL_TRACES_ENABLED=1", "NEMO_GYM_OTEL_METRICS_ENABLED=0",
			"NEMO_GYM_OTEL_LOGS_ENABLED=1", "NEMO_GYM_OTEL_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=http://x",
			"OTEL_EXPORTER_OTLP_PROTOCOL=p", "OTEL_EXPORTER_OTLP_HEADERS=a=b", "NEMO_GYM_OTEL_INSTRUMENT_AIOHTTP=0",
			"NEMO_GYM_OTEL_RUN_ID=r", "NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED=1",
			"NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS=0.5",
		}, nil},
		{"the environment turns it on", Settings{RunID: "r", SpanGroups: "all"}, []string{"NEMO_LENS_ENABLED=yes"}, true,
			[]string{"NEMO_LENS_ENABLED=yes", "NEMO_GYM_OTEL_RUN_ID=r", "NEMO_GYM_OTEL_SPAN_GROUPS=all"}, nil},
		{"the environment turns it off", with(func(s *Settings) { s.SpanGroups = "all" }), []string{"NEMO_GYM_OTEL_ENABLED=0"}, false,
			[]string{"NEMO_GYM_OTEL_ENABLED=0"}, []string{"telemetry.enabled=1"}},
		{"Gym's prefix beats Lens's", on, []string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_LENS_ENABLED=0"}, true,
			[]string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_LENS_ENABLED=0", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"garbage is off", on, []string{"NEMO_GYM_OTEL_ENABLED=maybe", "NEMO_LENS_ENABLED=1"}, false,
			[]string{"NEMO_GYM_OTEL_ENABLED=maybe", "NEMO_LENS_ENABLED=1"}, []string{"maybe"}},
		{"one port for all", on, []string{"OTEL_METRICS_EXPORTER=otlp, prometheus"}, true,
			[]string{"OTEL_METRICS_EXPORTER=otlp, prometheus", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, []string{"NEMO_LENS_PROMETHEUS_TARGETS"}},
		{"ports in a folder", on, []string{"OTEL_METRICS_EXPORTER=prometheus", "NEMO_LENS_PROMETHEUS_TARGETS=/t"}, true,
			[]string{"OTEL_METRICS_EXPORTER=prometheus", "NEMO_LENS_PROMETHEUS_TARGETS=/t", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"free ports", on, []string{"OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT=0"}, true,
			[]string{"OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT=0", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"no metrics for Prometheus", on, []string{"OTEL_METRICS_EXPORTER=prometheus", "NEMO_LENS_METRICS_ENABLED=0"}, true,
			[]string{"OTEL_METRICS_EXPORTER=prometheus", "NEMO_LENS_METRICS_ENABLED=0", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"the SDK's own switch", on, []string{"OTEL_SDK_DISABLED=true"}, false, []string{"OTEL_SDK_DISABLED=true"}, nil},
		{"a value of Lens keeps the setting out", with(func(s *Settings) { s.SpanGroups = "all" }),
			[]string{"NEMO_LENS_SPAN_GROUPS=default"}, true,
			[]string{"NEMO_LENS_SPAN_GROUPS=default", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"},
			[]string{"telemetry.span_groups=all of the configuration is overridden by NEMO_LENS_SPAN_GROUPS=default"}},
		{"a blank value is none", with(func(s *Settings) { s.SpanGroups = "all" }), []string{"NEMO_GYM_OTEL_SPAN_GROUPS= "}, true,
			[]string{"NEMO_GYM_OTEL_SPAN_GROUPS=all", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"an equal value is no override", with(func(s *Settings) {
			s.LogsEnabled, s.SpanGroups, s.MemoryProfiling.IntervalSeconds = new(true), "all", new(1.0)
		}), []string{"NEMO_GYM_OTEL_LOGS_ENABLED=YES", "NEMO_LENS_SPAN_GROUPS= all", "NEMO_GYM_OTEL_ENABLED=on",
			"NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS=1.0"}, true,
			[]string{"NEMO_GYM_OTEL_LOGS_ENABLED=YES", "NEMO_LENS_SPAN_GROUPS= all", "NEMO_GYM_OTEL_ENABLED=on",
				"NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS=1.0", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"a default is no override", on, []string{"NEMO_GYM_OTEL_SPAN_GROUPS=all", "OTEL_SERVICE_NAME=x"}, true,
			[]string{"NEMO_GYM_OTEL_SPAN_GROUPS=all", "OTEL_SERVICE_NAME=x", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"}, nil},
		{"the OTLP destination of the environment wins", with(func(s *Settings) { s.OTLPEndpoint = "http://yaml" }),
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://env"}, true,
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://env", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"},
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://env"}},
		{"headers are not told", with(func(s *Settings) { s.OTLPHeaders = "key=secret" }),
			[]string{"OTEL_EXPORTER_OTLP_HEADERS=key=hidden"}, true,
			[]string{"OTEL_EXPORTER_OTLP_HEADERS=key=hidden", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"},
			[]string{"telemetry.otlp_headers of the configuration is overridden by OTEL_EXPORTER_OTLP_HEADERS"}},
		{"there and empty says nothing to OpenTelemetry", with(func(s *Settings) { s.OTLPHeaders = "key=secret" }),
			[]string{"OTEL_EXPORTER_OTLP_HEADERS="}, true,
			[]string{"OTEL_EXPORTER_OTLP_HEADERS=", "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=r"},
			[]string{"telemetry.otlp_headers"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := envOf(c.env...)
			d := c.settings.Export(env)
			wantEnv(t, env, c.want...)
			if d.Enabled != c.enabled || enabled(env) != c.enabled {
				t.Errorf("enabled %v, by the environment %v, want %v", d.Enabled, enabled(env), c.enabled)
			}
			if c.enabled != (d.RunID == "r") {
				t.Errorf("run id %q", d.RunID)
			}
			if len(d.Warnings) != len(c.warns) {
				t.Fatalf("warnings %q, want %d", d.Warnings, len(c.warns))
			}
			for i, part := range c.warns {
				contains(t, d.Warnings[i], part)
				if strings.Contains(d.Warnings[i], "secret") || strings.Contains(d.Warnings[i], "hidden") {
					t.Errorf("a secret is told: %s", d.Warnings[i])
				}
			}
			// What is handed down is found there by the next process, which changes nothing.
			before := envOf()
			for k, v := range env {
				before[k] = v
			}
			if again := (Settings{}).Export(env); again.RunID != d.RunID || again.Enabled != d.Enabled {
				t.Errorf("a second export decided %+v after %+v", again, d)
			}
			wantEnv(t, env, c.want...)
		})
	}
}

func TestExport_run_id(t *testing.T) {
	for _, c := range []struct {
		name, setting string
		env           []string
		want          string // empty: minted
		written       bool
	}{
		{"Gym's", "yaml", []string{"NEMO_GYM_OTEL_RUN_ID=gym", "NEMO_LENS_RUN_ID=lens", "SLURM_JOB_ID=7"}, "gym", false},
		{"Lens's", "yaml", []string{"NEMO_LENS_RUN_ID=lens", "SLURM_JOB_ID=7"}, "lens", false},
		{"the setting", "yaml", []string{"SLURM_JOB_ID=7"}, "yaml", true},
		{"SLURM", "", []string{"SLURM_JOB_ID=7", "NEMO_GYM_RUN_ID=sandbox"}, "7", true},
		{"minted", "", nil, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := envOf(c.env...)
			d := Settings{Enabled: new(true), RunID: c.setting}.Export(env)
			if c.want == "" && len(d.RunID) != 12 || c.want != "" && d.RunID != c.want {
				t.Errorf("run id %q, want %q", d.RunID, c.want)
			}
			if v := env["NEMO_GYM_OTEL_RUN_ID"]; c.written && v != d.RunID {
				t.Errorf("handed down %q, want %q", v, d.RunID)
			}
		})
	}
	env := envOf()
	if d := (Settings{}).Export(env); d.RunID != "" || len(env) > 0 {
		t.Errorf("off: run id %q, %v", d.RunID, env)
	}
}

// broken is an environment that takes nothing.
type broken struct{ mapEnv }

func (broken) Setenv(string, string) error { return errors.New("no room") }

func TestExport_says_what_cannot_be_written(t *testing.T) {
	d := Settings{Enabled: new(true)}.Export(broken{envOf()})
	contains(t, strings.Join(d.Warnings, "\n"), "NEMO_GYM_OTEL_ENABLED", "NEMO_GYM_OTEL_RUN_ID", "no room")
}

func TestDecision_Note(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		env      []string
		says     string
	}{
		{Settings{}, nil, "telemetry is off"},
		{Settings{Enabled: new(true)}, nil, "4318"},
		{Settings{Enabled: new(true), OTLPProtocol: "grpc"}, nil, "http://localhost:4317"},
		{Settings{Enabled: new(true), Exporter: "console"}, nil, "standard output"},
		{Settings{Enabled: new(true)}, []string{"OTEL_TRACES_EXPORTER=none"}, "not sent"},
		{Settings{Enabled: new(true), OTLPEndpoint: "http://u:pw@x:1/"}, nil, "http://u:xxxxx@x:1/"},
		{Settings{Enabled: new(true), OTLPEndpoint: "http://x:1"}, []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://y:2/t"},
			"http://y:2/t"},
	} {
		if note := c.settings.Export(envOf(c.env...)).Note(); !strings.Contains(note, c.says) || strings.Contains(note, "pw") {
			t.Errorf("%q does not say %q", note, c.says)
		}
	}
}

func TestEnabled(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"NEMO_GYM_OTEL_ENABLED=1"}, true}, {[]string{"NEMO_GYM_OTEL_ENABLED=true"}, true},
		{[]string{"NEMO_GYM_OTEL_ENABLED=TRUE"}, true}, {[]string{"NEMO_GYM_OTEL_ENABLED=yes"}, true},
		{[]string{"NEMO_GYM_OTEL_ENABLED= on "}, true}, {[]string{"NEMO_GYM_OTEL_ENABLED=0"}, false},
		{[]string{"NEMO_GYM_OTEL_ENABLED=false"}, false}, {[]string{"NEMO_GYM_OTEL_ENABLED=no"}, false},
		{[]string{"NEMO_GYM_OTEL_ENABLED=off"}, false}, {[]string{"NEMO_GYM_OTEL_ENABLED="}, false},
		{[]string{"NEMO_GYM_OTEL_ENABLED=garbage"}, false}, {[]string{"NEMO_LENS_ENABLED=1"}, true},
		{[]string{"NEMO_GYM_OTEL_ENABLED=0", "NEMO_LENS_ENABLED=1"}, false},
		{[]string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_LENS_ENABLED=0"}, true},
		{[]string{"NEMO_GYM_OTEL_ENABLED=1", "OTEL_SDK_DISABLED=true"}, false},
	} {
		if got := enabled(envOf(c.env...)); got != c.want {
			t.Errorf("%v: %v, want %v", c.env, got, c.want)
		}
	}
	t.Setenv("NEMO_GYM_OTEL_ENABLED", "1")
	if !Enabled() {
		t.Error("the process's own environment is not read")
	}
}
