package otlp

import (
	"os"
	"strings"
)

// Signal is one kind of telemetry, as variables and endpoints name it.
type Signal struct {
	Name string // in variables: TRACES
	Path string // below a base URL
	Call string // the method of gRPC
	Unit string // of its items, in messages: spans
}

// The three signals.
var (
	Traces = Signal{"TRACES", "/v1/traces", "/opentelemetry.proto.collector.trace.v1.TraceService/Export", "spans"}

	Metrics = Signal{"METRICS", "/v1/metrics", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", "data points"}

	Logs = Signal{"LOGS", "/v1/logs", "/opentelemetry.proto.collector.logs.v1.LogsService/Export", "log records"}
)

// Variables that say where and how OTLP leaves. The ones for one signal win over the general ones.
const (
	envPrefix   = "OTEL_EXPORTER_OTLP_"
	envEndpoint = envPrefix + "ENDPOINT"
	envProtocol = envPrefix + "PROTOCOL"
	envHeaders  = envPrefix + "HEADERS"
)

// variable is the one that says key ("ENDPOINT") for this signal.
func (s Signal) variable(key string) string { return envPrefix + s.Name + "_" + key }

// setting returns the value of the signal's variable for key, else of the general one, and which it was. Blank is unset.
func (s Signal) setting(key string) (variable, value string) {
	for _, v := range []string{s.variable(key), envPrefix + key} {
		if value = strings.TrimSpace(os.Getenv(v)); value != "" {
			return v, value
		}
	}
	return "", ""
}

// settingKeys are those of all that is read for a signal.
var settingKeys = []string{"ENDPOINT", "PROTOCOL", "HEADERS", "COMPRESSION", "TIMEOUT", "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY", "INSECURE"}

// Origins says which variable holds each setting of the signal, by its key. What nothing sets is left out.
func (s Signal) Origins() map[string]string {
	from := map[string]string{}
	for _, key := range settingKeys {
		if variable, _ := s.setting(key); variable != "" {
			from[key] = variable
		}
	}
	return from
}

// Endpoint is the text of the variable for the endpoint, without what is secret in it.
func (s Signal) Endpoint() string {
	_, text := s.setting("ENDPOINT")
	return redactURL(text)
}

// SignalNamed returns the signal of a name.
func SignalNamed(name string) (Signal, bool) {
	for _, s := range []Signal{Traces, Metrics, Logs} {
		if s.Name == name {
			return s, true
		}
	}
	return Signal{}, false
}
