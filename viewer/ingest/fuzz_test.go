package ingest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// FuzzTraces sends any body, plain and as gzip. Whatever comes, the answer is one of three, and the file stays readable
// and has a line more exactly when the request was acknowledged.
func FuzzTraces(f *testing.F) {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("x")
	span.Attributes().PutEmptyMap("m").PutEmptySlice("l").AppendEmpty().SetDouble(1.5)
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, false)
	f.Add(b, true)
	f.Add([]byte{}, false)
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, body []byte, packed bool) {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		r, err := newReceiver(t.Context(), Config{Path: path, MaxBody: 1 << 16, MaxDecoded: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/traces", bytes.NewReader(body))
		req.Header.Set("Content-Type", protobufType)
		if packed {
			req.Header.Set("Content-Encoding", "gzip")
		}
		w := httptest.NewRecorder()
		r.handler().ServeHTTP(w, req)
		if err := r.file.close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch w.Code {
		case 200:
		case 400, 413:
			if len(text) != 0 {
				t.Fatalf("status %d, and the file has %q", w.Code, text)
			}
			return
		default:
			t.Fatalf("status %d, want 200, 400 or 413", w.Code)
		}
		spans := 0
		if err := ReadFile(path, func(td ptrace.Traces) error { spans += td.SpanCount(); return nil }); err != nil {
			t.Fatalf("cannot read back %q: %v", text, err)
		}
		if int64(spans) != r.n.spans.Load() || bytes.Count(text, []byte("\n")) > 1 {
			t.Fatalf("%d spans read back of %d; file has %q", spans, r.n.spans.Load(), text)
		}
	})
}

// checker is a sink that decodes what it gets with the reference.
type checker struct {
	t     *testing.T
	calls int
}

func (c *checker) check(s *signal, req []byte) (int, string, error) {
	c.t.Helper()
	c.calls++
	if err := s.decoder().UnmarshalProto(req); err != nil {
		c.t.Errorf("the sink got %s that cannot be decoded: %v", s.name, err)
	}
	return 0, "", nil
}

func (c *checker) Traces(_ context.Context, req []byte) (int, string, error) {
	return c.check(traces, req)
}

func (c *checker) Metrics(_ context.Context, req []byte) (int, string, error) {
	return c.check(metrics, req)
}

func (c *checker) Logs(_ context.Context, req []byte) (int, string, error) {
	return c.check(logs, req)
}

// FuzzJSON sends any text as JSON. Whatever comes, the answer is one of three, and what is acknowledged is a request that
// a decoder of protobuf reads.
func FuzzJSON(f *testing.F) {
	for _, name := range []string{"opentelemetry-proto/trace", "opentelemetry-proto/metrics", "opentelemetry-proto/logs",
		"opentelemetry-proto/events", "otlp-enum-names", "otlp-snake-case", "otlp-int64-forms"} {
		text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".json"))
		if err != nil {
			f.Fatal(err)
		}
		for i := range signals {
			f.Add(text, uint8(i))
		}
	}
	f.Add([]byte(`{"":1,"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"arrayValue":[{"kvlistValue":[]}]}}]}]}]}`), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		s := signals[int(which)%len(signals)]
		sink := &checker{t: t}
		r, err := newReceiver(t.Context(), Config{Sink: sink, MaxBody: 1 << 16, MaxDecoded: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/"+s.name, bytes.NewReader(body))
		req.Header.Set("Content-Type", jsonType)
		w := httptest.NewRecorder()
		r.handler().ServeHTTP(w, req)
		switch w.Code {
		case 200:
		case 400, 413:
			if sink.calls > 0 {
				t.Fatalf("status %d, and the sink was called", w.Code)
			}
		default:
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") != jsonType || !utf8.Valid(w.Body.Bytes()) {
			t.Fatalf("reply %q in %q", w.Body, w.Header().Get("Content-Type"))
		}
	})
}

// FuzzProtobuf looks at any bytes as each signal: the count of what is in a request is that of the reference, and
// metrics and logs that it cannot decode are refused.
func FuzzProtobuf(f *testing.F) {
	for i, s := range signals {
		text, err := os.ReadFile(filepath.Join("testdata", "opentelemetry-proto", []string{"trace", "metrics", "logs"}[i]+".json"))
		if err != nil {
			f.Fatal(err)
		}
		o, err := outlineOf(text)
		if err != nil {
			f.Fatal(err)
		}
		req, err := s.fromJSON(o, text, 1<<20)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(req, uint8(i))
	}
	f.Add([]byte("\n\x08\xc2\x3e\x05\x12\x03\x12\x01\x00"), uint8(0))
	f.Fuzz(func(t *testing.T, req []byte, which uint8) {
		s := signals[int(which)%len(signals)]
		items, err := s.inspect(req, 1<<20)
		decoded := s.decoder()
		if bad := decoded.UnmarshalProto(req); bad != nil {
			if s != traces && err == nil {
				t.Fatalf("accepted; the reference says %v", bad)
			}
			return
		}
		if err != nil {
			_, open := countSpans(req)
			if !errors.Is(err, ErrTooLarge) && (s != traces || !open) { // a group that does not end is counted differently by different readers
				t.Fatalf("%v; the reference accepts", err)
			}
			return
		}
		if s != traces {
			return
		}
		if want := decoded.(ptraceotlp.ExportRequest).Traces().SpanCount(); items != want {
			t.Fatalf("%d spans, the reference has %d", items, want)
		}
	})
}

// FuzzLoad reads any bytes as a file.
func FuzzLoad(f *testing.F) {
	text := []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}` + "\n\n" + `{"resourceLogs":[]}`)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(packed.Bytes())
	f.Add([]byte{0x28, 0xB5, 0x2F, 0xFD, 0x04, 0, 1, 0, 0})
	f.Add([]byte{0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		sink := &checker{t: t}
		got, err := Load(t.Context(), path, sink)
		if got.Requests != sink.calls {
			t.Fatalf("%d requests, the sink was called %d times; error %v", got.Requests, sink.calls, err)
		}
	})
}
