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

// Outcome is what became of one span, data point or log record.
type Outcome struct {
	Err      error         // why it was not taken
	Took     time.Duration // until that was known
	TraceID  string        // of the span
	Rejected int64         // 1: the request was taken and the item was not (partial success)
	Message  string        // why, or a warning beside a success
	Reply    *Reply        // the answer as it came; nil when there was none, or a success over gRPC
}

// Reply is the answer of a collector, or of who stands before it, with nothing in it that is secret by the settings.
type Reply struct {
	Status    int       // of HTTP; 0 over gRPC
	Code      string    // of gRPC, such as Unauthenticated; empty over HTTP
	Media     string    // the media type of the text
	Server    string    // who says that it answers
	Location  string    // of a redirect
	Challenge string    // which credentials it asks for, such as Bearer
	Date      time.Time // by its clock; zero when it does not say
	Text      string    // at most a kilobyte
}

// Waiting is what a spool holds for one destination.
type Waiting struct {
	Signal string
	URL    string
	Dir    string
	Items  uint64
	Bytes  int64 // of its files
	Living int   // processes that keep something there now
	Unread int   // files that cannot be read
}

// Explain says what Setup would make of c, as if it were enabled, and changes nothing in the process. It asks the machine who it
// is, as Setup does, and nobody else. Its error is [ErrCompiledOut].
func Explain(ctx context.Context, c Config) (*Explanation, error) { return explain(ctx, c) }

// Probe sends one span, data point or log record to where its signal goes, under the resource of the explanation: once, through the
// exporter that [Setup] would take, and past the spool. It is for signals that go by OTLP. It returns when ctx ends.
func (x *Explanation) Probe(ctx context.Context, signal string) Outcome { return x.probe(ctx, signal) }

// LookIntoSpool says what waits in a spool, and changes nothing there. Its error is why the folder could not be one, which may come beside
// what it holds.
func LookIntoSpool(dir string) ([]Waiting, error) { return lookIntoSpool(dir) }
