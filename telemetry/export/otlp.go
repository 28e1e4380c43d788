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

// Variables that say where and how OTLP leaves. The ones for traces win over the general ones.
const (
	envEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envProtocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envTracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	envHeaders        = "OTEL_EXPORTER_OTLP_HEADERS"
	envTracesHeaders  = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
)

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
	if err := checkProtocol(); err != nil {
		return nil, err
	}
	if err := checkEndpoint(log); err != nil {
		return nil, err
	}
	if err := errors.Join(checkHeaders(envHeaders), checkHeaders(envTracesHeaders)); err != nil {
		return nil, err
	}
	e, err := otlptracehttp.New(ctx, defaultEndpoint()...)
	if err != nil {
		return nil, fmt.Errorf("cannot make the OTLP exporter: %w", err)
	}
	return &otlp{e}, nil
}

// defaultEndpoint is the collector of this host, where no variable names another. The stock exporter would speak TLS to it,
// against the specification, and local collectors have none.
func defaultEndpoint() []otlptracehttp.Option {
	if _, endpoint := firstSet(envTracesEndpoint, envEndpoint); endpoint != "" {
		return nil
	}
	return []otlptracehttp.Option{otlptracehttp.WithEndpointURL("http://localhost:4318/v1/traces")}
}

// otlp is the stock exporter, which loses a whole batch for one text that is not UTF-8.
type otlp struct{ sdktrace.SpanExporter }

// ExportSpans looks at the texts only after an error: a bad one fails before anything is sent, so nothing is sent twice,
// and good ones cost nothing.
func (o *otlp) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := o.SpanExporter.ExportSpans(ctx, spans)
	if err != nil && ctx.Err() == nil {
		if good, bad := repair(spans); bad {
			err = o.SpanExporter.ExportSpans(ctx, good)
		}
	}
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

func checkProtocol() error {
	variable, protocol := firstSet(envTracesProtocol, envProtocol)
	switch protocol {
	case "", "http/protobuf", "http/json":
		return nil
	case "grpc":
		return fmt.Errorf("%s=grpc: OTLP over gRPC is not in this build; %s", variable, useHTTP)
	}
	return fmt.Errorf("%s=%s: unknown protocol; use http/protobuf or http/json", variable, protocol)
}

// checkEndpoint refuses what otlptracehttp would take for something else: it reads "collector:4318" as a URL whose scheme
// is "collector", and talks HTTP to a gRPC port until somebody looks.
func checkEndpoint(log *slog.Logger) error {
	variable, endpoint := firstSet(envTracesEndpoint, envEndpoint)
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
	if variable == envEndpoint && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/v1/traces") {
		log.Warn("telemetry: "+envEndpoint+" is a base URL to which /v1/traces is added; it already ends in that. "+
			"Cut it off, or use "+envTracesEndpoint, "value", u.Redacted())
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
