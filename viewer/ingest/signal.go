package ingest

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// exportRequest is what the three requests of pdata have in common.
type exportRequest interface {
	UnmarshalProto(b []byte) error
	UnmarshalJSON(b []byte) error
	MarshalProto() ([]byte, error)
}

// signal is one of the three kinds of OpenTelemetry data, as far as they differ on the wire.
type signal struct {
	name    string   // the last part of the path
	service string   // of gRPC
	message string   // the request
	member  string   // the only member of a request in JSON
	snake   string   // the same as the .proto file writes it
	items   string   // what is counted, as partial success in JSON writes it behind "rejected"
	schema  *message // what its messages weigh
	decoder func() exportRequest
	put     func(ctx context.Context, to Sink, req []byte) (rejected int, why string, err error)
}

var (
	traces = &signal{
		name:    "traces",
		service: "opentelemetry.proto.collector.trace.v1.TraceService",
		message: "ExportTraceServiceRequest",
		member:  "resourceSpans",
		snake:   "resource_spans",
		items:   "Spans",
		schema:  traceSchema,
		decoder: func() exportRequest { return ptraceotlp.NewExportRequest() },
		put: func(ctx context.Context, to Sink, req []byte) (int, string, error) {
			return to.Traces(ctx, req)
		},
	}
	metrics = &signal{
		name:    "metrics",
		service: "opentelemetry.proto.collector.metrics.v1.MetricsService",
		message: "ExportMetricsServiceRequest",
		member:  "resourceMetrics",
		snake:   "resource_metrics",
		items:   "DataPoints",
		schema:  metricSchema,
		decoder: func() exportRequest { return pmetricotlp.NewExportRequest() },
		put: func(ctx context.Context, to Sink, req []byte) (int, string, error) {
			return to.Metrics(ctx, req)
		},
	}
	logs = &signal{
		name:    "logs",
		service: "opentelemetry.proto.collector.logs.v1.LogsService",
		message: "ExportLogsServiceRequest",
		member:  "resourceLogs",
		snake:   "resource_logs",
		items:   "LogRecords",
		schema:  logSchema,
		decoder: func() exportRequest { return plogotlp.NewExportRequest() },
		put: func(ctx context.Context, to Sink, req []byte) (int, string, error) {
			return to.Logs(ctx, req)
		},
	}
	signals = []*signal{traces, metrics, logs}
)

func (s *signal) isMember(name string) bool { return name == s.member || name == s.snake }

// inspect counts what is in a request, and refuses one that is no request. Traces it does not decode: that is most of the
// cost of a span, and the sink walks them anyway. A count is enough to see that a body holds more spans than its size
// lets a sink expect.
func (s *signal) inspect(req []byte, maxDecoded int64) (items int, err error) {
	if s == traces {
		items, open := countSpans(req)
		if open {
			return 0, invalid("cannot decode %d bytes as %s: a group begins and does not end", len(req), s.message)
		}
		if most := maxWeight * maxDecoded / spanWeight; int64(items) > most {
			return 0, tooLarge("body of %d bytes has %d spans, must be at most %d", len(req), items, most)
		}
		return items, nil
	}
	decoded := s.decoder()
	if err := s.decode(decoded, req, maxDecoded); err != nil {
		return 0, err
	}
	switch decoded := decoded.(type) {
	case pmetricotlp.ExportRequest:
		return decoded.Metrics().DataPointCount(), nil
	case plogotlp.ExportRequest:
		return decoded.Logs().LogRecordCount(), nil
	}
	return 0, nil
}

// decode reads a request in protobuf, after a look at what it will take in memory.
func (s *signal) decode(into exportRequest, req []byte, maxDecoded int64) error {
	if err := checkWeight(len(req), s.schema.weight(req), maxDecoded); err != nil {
		return err
	}
	if err := into.UnmarshalProto(req); err != nil {
		return invalid("cannot decode %d bytes as %s: %w", len(req), s.message, err)
	}
	return nil
}

// blamed is an error that is the request's fault.
type blamed struct{ kind, err error }

func (e *blamed) Error() string   { return e.err.Error() }
func (e *blamed) Unwrap() []error { return []error{e.kind, e.err} }

func invalid(format string, args ...any) error {
	return &blamed{ErrInvalid, fmt.Errorf(format, args...)}
}

func tooLarge(format string, args ...any) error {
	return &blamed{ErrTooLarge, fmt.Errorf(format, args...)}
}
