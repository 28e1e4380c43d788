package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Variables that say where and how OTLP leaves. The ones for one signal win over the general ones.
const (
	envPrefix   = "OTEL_EXPORTER_OTLP_"
	envEndpoint = envPrefix + "ENDPOINT"
	envProtocol = envPrefix + "PROTOCOL"
	envHeaders  = envPrefix + "HEADERS"
)

// signal is one kind of telemetry, as variables and endpoints name it.
type signal struct{ name, path string }

var (
	tracesSignal  = signal{"TRACES", "/v1/traces"}
	metricsSignal = signal{"METRICS", "/v1/metrics"}
)

// variable is the one that says key ("ENDPOINT") for this signal.
func (s signal) variable(key string) string { return envPrefix + s.name + "_" + key }

const useHTTP = "set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and an endpoint with the collector's HTTP port, usually 4318"

// NewOTLP returns the exporter of spans by OTLP over HTTP. The endpoint, headers, timeout, compression and certificates are
// read from OTEL_EXPORTER_OTLP_* and OTEL_EXPORTER_OTLP_TRACES_* as the OpenTelemetry specification says; without any,
// spans go to http://localhost:4318/v1/traces.
//
// The protocol is http/protobuf when none is set; http/json is the other one there is. The exporter retries by itself what
// the collector asks it to. NewOTLP connects to nothing; settings that cannot work are errors that say what would. A nil
// log is slog.Default(). Bytes in a text that are not UTF-8 become U+FFFD; they cost no other span.
func NewOTLP(ctx context.Context, log *slog.Logger) (sdktrace.SpanExporter, error) {
	if log == nil {
		log = slog.Default()
	}
	if err := tracesSignal.check(log); err != nil {
		return nil, err
	}
	c, err := newClient(tracesSignal, log)
	if err != nil {
		return nil, err
	}
	o := []otlptracehttp.Option{otlptracehttp.WithHTTPClient(&c.Client)}
	if url := tracesSignal.defaultURL(); url != "" {
		o = append(o, otlptracehttp.WithEndpointURL(url))
	}
	e, err := otlptracehttp.New(ctx, o...)
	if err != nil {
		return nil, fmt.Errorf("cannot make the OTLP exporter: %w", err)
	}
	return &otlp{e, c}, nil
}

// defaultURL is the collector of this host, where no variable names another. The stock exporter would speak TLS to it, against
// the specification, and local collectors have none.
func (s signal) defaultURL() string {
	if _, endpoint := firstSet(s.variable("ENDPOINT"), envEndpoint); endpoint != "" {
		return ""
	}
	return "http://localhost:4318" + s.path
}

// check refuses settings that cannot work.
func (s signal) check(log *slog.Logger) error {
	if err := s.checkProtocol(); err != nil {
		return err
	}
	if err := s.checkEndpoint(log); err != nil {
		return err
	}
	return errors.Join(checkHeaders(envHeaders), checkHeaders(s.variable("HEADERS")))
}

// otlp is the stock exporter, which loses a whole batch for one text that is not UTF-8.
type otlp struct {
	sdktrace.SpanExporter
	client *client
}

func (o *otlp) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return o.client.export(func() error { return o.send(ctx, spans) })
}

// Shutdown ends an export that is running, and closes the connections.
func (o *otlp) Shutdown(ctx context.Context) error {
	return o.client.shutdown(ctx, o.SpanExporter.Shutdown)
}

// send looks at the texts only after an error: a bad one fails before anything is sent, so nothing is sent twice,
// and good ones cost nothing.
func (o *otlp) send(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := o.SpanExporter.ExportSpans(ctx, spans)
	if err != nil && ctx.Err() == nil {
		if good, bad := repair(spans); bad {
			err = o.SpanExporter.ExportSpans(ctx, good)
		}
	}
	return shorten(err)
}

// shorten cuts the text of an error that is too long.
func shorten(err error) error {
	if err != nil && len(err.Error()) > mostError {
		return longError{err}
	}
	return err
}

// mostError is how much of an error is told. The stock exporter puts the collector's whole answer into it.
const mostError = 1 << 10

// longError is an error whose text is cut.
type longError struct{ error }

func (e longError) Error() string {
	return strings.ToValidUTF8(e.error.Error()[:mostError], "") + " ..."
}

func (e longError) Unwrap() error { return e.error }

// firstSet returns the first of the variables that is not blank.
func firstSet(variables ...string) (variable, value string) {
	for _, v := range variables {
		if value = strings.TrimSpace(os.Getenv(v)); value != "" {
			return v, value
		}
	}
	return "", ""
}

func (s signal) checkProtocol() error {
	variable, protocol := firstSet(s.variable("PROTOCOL"), envProtocol)
	switch protocol {
	case "", "http/protobuf", "http/json":
		return nil
	case "grpc":
		return fmt.Errorf("%s=grpc: OTLP over gRPC is not in this build; %s", variable, useHTTP)
	}
	return fmt.Errorf("%s=%s: unknown protocol; use http/protobuf or http/json", variable, protocol)
}

// checkEndpoint refuses what the stock exporter would take for something else: it reads "collector:4318" as a URL whose scheme
// is "collector", and talks HTTP to a gRPC port until somebody looks.
func (s signal) checkEndpoint(log *slog.Logger) error {
	variable, endpoint := firstSet(s.variable("ENDPOINT"), envEndpoint)
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%s=%s: not a URL with scheme and host; use for example http://localhost:4318",
			variable, redactURL(endpoint))
	}
	if u.Port() == "4317" {
		return fmt.Errorf("%s=%s: 4317 is the port of OTLP over gRPC, which is not in this build; %s",
			variable, u.Redacted(), useHTTP)
	}
	if variable == envEndpoint && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), s.path) {
		log.Warn("telemetry: "+envEndpoint+" is a base URL to which "+s.path+" is added; it already ends in that. "+
			"Cut it off, or use "+s.variable("ENDPOINT"), "value", u.Redacted())
	}
	return nil
}

// checkHeaders refuses what the stock exporter would leave out with a message that tells the value, as a rule a secret:
// one that does not decode, and a header as HTTP writes it.
func checkHeaders(variable string) error {
	for pair := range strings.SplitSeq(os.Getenv(variable), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if name, _, colon := strings.Cut(pair, ":"); colon && !ok {
			return fmt.Errorf("%s: header %q stands before a colon; write name=value, with a comma between two", variable,
				strings.TrimSpace(name))
		}
		if _, err := url.PathUnescape(value); err != nil {
			return fmt.Errorf("%s: the value of header %q does not decode; write a percent sign as %%25", variable,
				strings.TrimSpace(name))
		}
	}
	return nil
}

// redactURL hides what stands before an @, since text that is no URL may still hold a password.
func redactURL(text string) string {
	if i := strings.LastIndex(text, "@"); i >= 0 {
		return "xxxxx" + text[i:]
	}
	return text
}
