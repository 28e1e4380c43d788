package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// traceID is the trace of every case that is made here.
var traceID = pcommon.TraceID{0: 0x0a, 15: 1}

// sent is a trace that a test sends.
type sent struct {
	ptrace.Traces
	spans ptrace.SpanSlice
	start time.Time
}

func newTrace(service string) *sent {
	s := &sent{Traces: ptrace.NewTraces(), start: time.Now().Add(-time.Minute).Truncate(time.Second)}
	rs := s.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	s.spans = rs.ScopeSpans().AppendEmpty().Spans()
	return s
}

// span adds a span with a number for an id, below the span of another number; 0 is none. It runs from and to so many
// milliseconds from the trace's start.
func (s *sent) span(id, parent int, name string, from, to int) ptrace.Span {
	sp := s.spans.AppendEmpty()
	sp.SetTraceID(traceID)
	sp.SetSpanID(spanID(id))
	sp.SetParentSpanID(spanID(parent))
	sp.SetName(name)
	sp.SetKind(ptrace.SpanKindInternal)
	at := func(ms int) pcommon.Timestamp {
		return pcommon.NewTimestampFromTime(s.start.Add(time.Duration(ms) * time.Millisecond))
	}
	sp.SetStartTimestamp(at(from))
	sp.SetEndTimestamp(at(to))
	return sp
}

func spanID(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

// of puts all spans that were added into another trace.
func (s *sent) of(id pcommon.TraceID) {
	for i := range s.spans.Len() {
		s.spans.At(i).SetTraceID(id)
	}
}

// take gives what was added so far and begins anew, in the same trace.
func (s *sent) take() ptrace.Traces {
	part := ptrace.NewTraces()
	s.Traces.CopyTo(part)
	s.spans.RemoveIf(func(ptrace.Span) bool { return true })
	return part
}

func (v *place) sendTraces(t *testing.T, td ptrace.Traces) {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	v.post(t, "/v1/traces", "application/x-protobuf", body)
}

func (v *place) sendLogs(t *testing.T, ld plog.Logs) {
	t.Helper()
	body, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	v.post(t, "/v1/logs", "application/x-protobuf", body)
}

// post sends to the receiver, as any OpenTelemetry program does.
func (v *place) post(t *testing.T, path, kind string, body []byte) {
	t.Helper()
	resp, err := http.Post(v.OTLPEndpoint()+path, kind, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("the receiver answered %s: %s", resp.Status, answer)
	}
}
