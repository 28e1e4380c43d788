package telemetry

import (
	"slices"
	"strings"
	"testing"
)

const receiver = "http://127.0.0.1:12345"

// ours is what Receive writes into an empty environment.
var ours = []string{
	"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_TRACES_ENABLED=1", "NEMO_GYM_OTEL_EXPORTER=otlp", "NEMO_GYM_OTEL_SPOOL=0", "OTEL_TRACES_EXPORTER=otlp",
	"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_HEADERS=",
	"OTEL_BSP_SCHEDULE_DELAY=1000", "OTEL_METRIC_EXPORT_INTERVAL=2000",
}

func TestReceive(t *testing.T) {
	for _, c := range []struct {
		name     string
		env      []string
		more     []string // beside ours
		replaced []string
	}{
		{"an empty environment", nil, nil, nil},
		{"general settings", []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=https://u:pw@collector", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
			"OTEL_EXPORTER_OTLP_HEADERS=api-key=secret", "OTEL_EXPORTER_OTLP_CERTIFICATE=/ca.pem",
			"OTEL_EXPORTER_OTLP_INSECURE=false", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_TIMEOUT=500",
			"NEMO_GYM_OTEL_EXPORTER=console",
		}, []string{"OTEL_EXPORTER_OTLP_TIMEOUT=500"}, []string{
			"NEMO_GYM_OTEL_EXPORTER=console", "OTEL_EXPORTER_OTLP_CERTIFICATE=/ca.pem", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
			"OTEL_EXPORTER_OTLP_ENDPOINT=https://u:xxxxx@collector", "OTEL_EXPORTER_OTLP_HEADERS",
			"OTEL_EXPORTER_OTLP_INSECURE=false", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		}},
		{"settings of one signal", []string{
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc",
			"OTEL_EXPORTER_OTLP_TRACES_HEADERS=k=secret", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m",
			"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://l", "OTEL_TRACES_EXPORTER=zipkin", "OTEL_METRICS_EXPORTER=prometheus",
			"OTEL_LOGS_EXPORTER=none",
		}, []string{"OTEL_METRICS_EXPORTER=otlp", "OTEL_LOGS_EXPORTER=none"}, []string{
			"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://l", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m",
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", "OTEL_METRICS_EXPORTER=prometheus", "OTEL_TRACES_EXPORTER=zipkin",
		}},
		{"what is off", []string{"NEMO_GYM_OTEL_ENABLED=0", "NEMO_LENS_TRACES_ENABLED=no", "OTEL_SDK_DISABLED=true"},
			[]string{"NEMO_LENS_TRACES_ENABLED=no", "OTEL_SDK_DISABLED=false"},
			[]string{"NEMO_GYM_OTEL_ENABLED=0", "NEMO_LENS_TRACES_ENABLED=no", "OTEL_SDK_DISABLED=true"}},
		{"what is no matter of ours", []string{"NEMO_GYM_OTEL_SPAN_GROUPS=all", "OTEL_TRACES_SAMPLER=always_off", "NEMO_LENS_ENABLED=1"},
			[]string{"NEMO_GYM_OTEL_SPAN_GROUPS=all", "OTEL_TRACES_SAMPLER=always_off", "NEMO_LENS_ENABLED=1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := envOf(c.env...)
			replaced := Receive(env, receiver+"/")
			wantEnv(t, env, slices.Concat(ours, c.more)...)
			slices.Sort(replaced)
			if !slices.Equal(replaced, c.replaced) {
				t.Errorf("replaced\n%q\nwant\n%q", replaced, c.replaced)
			}
			if all := strings.Join(replaced, " "); strings.Contains(all, "secret") || strings.Contains(all, "pw@") {
				t.Errorf("a secret is told: %s", all)
			}
			if again := Receive(env, receiver); len(again) > 0 {
				t.Errorf("a second call replaced %q", again)
			}
		})
	}
}

// What a run decided about its receiver stands against the configuration.
func TestReceive_leaves_a_delay_that_is_set(t *testing.T) {
	env := envOf("OTEL_BSP_SCHEDULE_DELAY=30000")
	replaced := Receive(env, receiver)
	if got, _ := env.LookupEnv("OTEL_BSP_SCHEDULE_DELAY"); got != "30000" || len(replaced) != 0 {
		t.Errorf("the delay is %q, replaced %q", got, replaced)
	}
}

func TestReceive_wins_over_the_settings(t *testing.T) {
	env := envOf()
	Receive(env, receiver)
	d := Settings{
		Enabled: new(false), Exporter: "console", OTLPEndpoint: "http://yaml", OTLPProtocol: "grpc", OTLPHeaders: "k=secret",
		TracesEnabled: new(false), SpanGroups: "all", RunID: "r",
	}.Export(env)
	wantEnv(t, env, slices.Concat(ours, []string{"NEMO_GYM_OTEL_SPAN_GROUPS=all", "NEMO_GYM_OTEL_RUN_ID=r"})...)
	if !d.Enabled || d.Endpoint != receiver || len(d.Warnings) != 6 {
		t.Errorf("decision %+v", d)
	}
}
