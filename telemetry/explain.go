package telemetry

import (
	"context"
	"time"
)

// Signals, as [Route] names them.
const (
	SignalTraces  = "traces"
	SignalMetrics = "metrics"
	SignalLogs    = "logs"
)

// Explanation is what [Setup] would make of an enabled [Config] in the environment of this process, for programs that show it, such as
// lens doctor. It holds nothing secret: no value of a header, and endpoints without user, password and the values of their query.
type Explanation struct {
	Disabled    bool              // OTEL_SDK_DISABLED is true: nothing is recorded, whatever the Config says
	RunID       string            // empty: each process draws its own
	JobTraceID  string            // of all roots of the job; empty: each root has its own
	Resource    map[string]string // attributes, as text
	Propagators []string          // that carry trace context; empty for none
	Sampled     float64           // which part of roots is recorded, found out by starting some
	SpoolDir    string            // where a spool would be; empty when there can be none
	SpoolBytes  int64             // what it may hold of each endpoint and signal
	Routes      []Route           // of traces, metrics and logs
	Warnings    []string          // what Setup would say beside those of the routes

	setting // of the probes
}

// Route is the way that a signal takes.
type Route struct {
	Signal       string   // SignalTraces, SignalMetrics or SignalLogs
	On           bool     // by the Config
	Exporters    []string // several only of metrics, where prometheus may be one; none when Err is about it
	ExporterFrom string   // the variable of OpenTelemetry that says so; empty: the Config does, or nothing
	Target       Target   // of ExporterOTLP
	Scrape       string   // the host and port from which Prometheus would fetch, which is any free one when it is 0
	Warnings     []string
	Err          error // why Setup would fail
}

// Target is where and how a signal leaves by OTLP. What cannot be found out, because of an error, is empty.
type Target struct {
	URL      string
	Protocol string // http/protobuf, http/json or grpc
	Headers  []string
	Gzip     bool
	Timeout  time.Duration // of one request; 0 is no limit

	// From is the variable of each setting that is set, by its last words: ENDPOINT, PROTOCOL, HEADERS, COMPRESSION, TIMEOUT,
	// CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY and INSECURE.
	From map[string]string
}

// Route returns that of a signal.
func (x *Explanation) Route(signal string) Route {
	for _, r := range x.Routes {
		if r.Signal == signal {
			return r
		}
	}
	return Route{Signal: signal}
}

// Explain says what Setup would make of c, as if it were enabled, and changes nothing in the process. It asks the machine who it
// is, as Setup does, and nobody else. Its error is [ErrCompiledOut].
func Explain(ctx context.Context, c Config) (*Explanation, error) { return explain(ctx, c) }
