package ingest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

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
		c := Config{Path: path, MaxBody: 1 << 16, MaxDecoded: 1 << 16}.withDefaults()
		file, err := openLines(path, c.Logger)
		if err != nil {
			t.Fatal(err)
		}
		r := &Receiver{cfg: c, file: file, bodies: make(chan struct{}, 1), slots: make(chan struct{}, 1)}
		req := httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(body))
		req.Header.Set("Content-Type", protobufType)
		if packed {
			req.Header.Set("Content-Encoding", "gzip")
		}
		w := httptest.NewRecorder()
		r.traces(w, req)
		if err := file.close(); err != nil {
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
