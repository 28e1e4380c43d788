package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/ingest"
)

// shelf is a sink that keeps what it gets and answers as it is told.
type shelf struct {
	rejected int
	why      string
	err      error

	mu                    sync.Mutex
	traces, metrics, logs [][]byte
}

func (s *shelf) put(to *[][]byte, req []byte) (int, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		*to = append(*to, req)
	}
	return s.rejected, s.why, s.err
}

func (s *shelf) Traces(_ context.Context, req []byte) (int, string, error) {
	if err := ptraceotlp.NewExportRequest().UnmarshalProto(req); err != nil {
		return 0, "", fmt.Errorf("%w: %w", ingest.ErrInvalid, err)
	}
	return s.put(&s.traces, req)
}

func (s *shelf) Metrics(_ context.Context, req []byte) (int, string, error) {
	return s.put(&s.metrics, req)
}

func (s *shelf) Logs(_ context.Context, req []byte) (int, string, error) {
	return s.put(&s.logs, req)
}

// decoded returns the spans, metrics and log records of all requests, decoded by the reference.
func (s *shelf) decoded(t testing.TB) (spans []ptrace.Span, all []pmetric.Metric, records []plog.LogRecord) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.traces {
		r := ptraceotlp.NewExportRequest()
		must(t, r.UnmarshalProto(b))
		for _, rs := range r.Traces().ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					spans = append(spans, span)
				}
			}
		}
	}
	for _, b := range s.metrics {
		r := pmetricotlp.NewExportRequest()
		must(t, r.UnmarshalProto(b))
		for _, rm := range r.Metrics().ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					all = append(all, m)
				}
			}
		}
	}
	for _, b := range s.logs {
		r := plogotlp.NewExportRequest()
		must(t, r.UnmarshalProto(b))
		for _, rl := range r.Logs().ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					records = append(records, record)
				}
			}
		}
	}
	return spans, all, records
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSink_gets_the_bytes_that_were_sent(t *testing.T) {
	sink := &shelf{}
	r, client, _ := start(t, ingest.Config{Sink: sink})
	body := protobuf(t, request(3, "x"))
	for _, a := range []answer{
		send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(body), proto),
		send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(gz(t, body)), protoGzip),
	} {
		if a.status != 200 || len(a.body) != 0 {
			t.Errorf("answer %d %q, want 200 and nothing to say", a.status, a.body)
		}
	}
	if len(sink.traces) != 2 || !bytes.Equal(sink.traces[0], body) || !bytes.Equal(sink.traces[1], body) {
		t.Errorf("the sink did not get the two requests as they were sent")
	}
	if got := r.Stats(); got.Requests != 2 || got.Spans != 6 {
		t.Errorf("stats %+v, want 2 requests with 6 spans", got)
	}
}

// OT-17: empty requests.
func TestSink_is_not_asked_about_nothing(t *testing.T) {
	sink := &shelf{err: errors.New("must not be called")}
	r, client, _ := start(t, ingest.Config{Sink: sink})
	for _, signal := range []struct{ path, member string }{
		{"traces", "resourceSpans"}, {"metrics", "resourceMetrics"}, {"logs", "resourceLogs"},
	} {
		url := r.Endpoint() + "/v1/" + signal.path
		if a := send(t, client, "POST", url, nil, proto); a.status != 200 || len(a.body) != 0 {
			t.Errorf("%s of no bytes: answer %d %q, want 200", signal.path, a.status, a.body)
		}
		for _, body := range []string{`{}`, fmt.Sprintf(`{"%s":[]}`, signal.member), fmt.Sprintf(` { "%s" : null } `, signal.member)} {
			if a := send(t, client, "POST", url, bytes.NewReader([]byte(body)), asJSON); a.status != 200 || string(a.body) != "{}" {
				t.Errorf("%s of %s: answer %d %q, want 200 {}", signal.path, body, a.status, a.body)
			}
		}
	}
}

func TestSink_partial_success(t *testing.T) {
	sink := &shelf{rejected: 2, why: `no room for "both"`}
	r, client, _ := start(t, ingest.Config{Sink: sink})
	body := protobuf(t, request(5, "x"))
	a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(body), proto)
	reply := ptraceotlp.NewExportResponse()
	must(t, reply.UnmarshalProto(a.body))
	if p := reply.PartialSuccess(); a.status != 200 || p.RejectedSpans() != 2 || p.ErrorMessage() != sink.why {
		t.Errorf("status %d, %d rejected, %q; want 200, 2, %q", a.status, p.RejectedSpans(), p.ErrorMessage(), sink.why)
	}

	for path, want := range map[string]string{
		"traces":  `{"partialSuccess":{"errorMessage":"no room for \"both\"","rejectedSpans":"1"}}`,
		"metrics": `{"partialSuccess":{"errorMessage":"no room for \"both\"","rejectedDataPoints":"2"}}`,
		"logs":    `{"partialSuccess":{"errorMessage":"no room for \"both\"","rejectedLogRecords":"1"}}`,
	} {
		a := send(t, client, "POST", r.Endpoint()+"/v1/"+path, bytes.NewReader(sample(t, path)), asJSON)
		if a.status != 200 || string(a.body) != want {
			t.Errorf("%s: answer %d %s, want 200 %s", path, a.status, a.body, want)
		}
	}
	// A sink that rejects more than there is rejects what there is.
	want := ingest.Stats{Requests: 2, Spans: 3, MetricsRequests: 1, DataPoints: 1, LogsRequests: 1, Rejected: 2 + 1 + 2 + 1}
	if got := r.Stats(); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

func TestSink_warning(t *testing.T) {
	r, client, _ := start(t, ingest.Config{Sink: &shelf{why: "clock is off"}})
	a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(sample(t, "traces")), asJSON)
	if want := `{"partialSuccess":{"errorMessage":"clock is off"}}`; a.status != 200 || string(a.body) != want {
		t.Errorf("answer %d %s, want 200 %s", a.status, a.body, want)
	}
}

func TestSink_errors(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		code   uint64
	}{
		{fmt.Errorf("field 3: %w", ingest.ErrInvalid), 400, 3},
		{fmt.Errorf("a chunk holds 4 MB: %w", ingest.ErrTooLarge), 413, 8},
		{errors.New("disk is full"), 503, 14},
		{context.Canceled, 503, 14},
	} {
		t.Run(tt.err.Error(), func(t *testing.T) {
			r, client, _ := start(t, ingest.Config{Sink: &shelf{err: tt.err}})
			a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(protobuf(t, request(1, "x"))), proto)
			if a.status != tt.status || !bytes.Contains(a.body, []byte(tt.err.Error())) {
				t.Errorf("answer %d %q, want %d with the reason", a.status, a.body, tt.status)
			}
			checkStatus(t, a.body, tt.code)
			a = send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(sample(t, "traces")), asJSON)
			want := fmt.Sprintf(`{"code":%d,"message":%q}`, tt.code, tt.err)
			if a.status != tt.status || string(a.body) != want || a.header.Get("Content-Type") != "application/json" {
				t.Errorf("in JSON: answer %d %s, want %d %s", a.status, a.body, tt.status, want)
			}
			if got := r.Stats(); got.Refused+got.WriteErrors != 2 || (got.WriteErrors == 2) != (tt.status == 503) {
				t.Errorf("stats %+v count somebody else's fault", got)
			}
		})
	}
}

// With a file beside the sink, both get what the sink takes.
func TestSink_and_file(t *testing.T) {
	path, sink := t.TempDir()+"/traces.jsonl", &shelf{}
	r, client, stop := start(t, ingest.Config{Path: path, Sink: sink})
	for _, body := range [][]byte{protobuf(t, request(2, "x")), protobuf(t, request(1, "y"))} {
		send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(body), proto)
	}
	sink.err = errors.New("full")
	send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(protobuf(t, request(1, "z"))), proto)
	stop()
	requests, spans := readAll(t, path)
	if len(requests) != 2 || spans != 3 || len(sink.traces) != 2 || requests[1] != string(sink.traces[1]) {
		t.Errorf("the file has %d requests with %d spans, the sink %d; want 2, 3 and 2", len(requests), spans, len(sink.traces))
	}
}

func TestStart_needs_a_place_for_the_data(t *testing.T) {
	ln, err := ingest.Listen("127.0.0.1:0")
	must(t, err)
	if _, err := ingest.Start(t.Context(), ln, ingest.Config{}); err == nil {
		t.Error("no error without Path and Sink")
	}
	if _, err := ln.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}
