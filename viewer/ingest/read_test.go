package ingest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/ingest"
)

const oneSpan = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}}]},` +
	`"scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",` +
	`"name":"n","kind":1,"startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"k","value":{"intValue":"3"}}],"status":{}}]}]}]}`

func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadFile(t *testing.T) {
	long := strings.Replace(oneSpan, `"name":"n"`, `"name":"`+strings.Repeat("n", 3<<20)+`"`, 1)
	tests := []struct {
		name, text string
		spans      int
	}{
		{"empty file", "", 0},
		{"one line", oneSpan + "\n", 1},
		{"no last line break", oneSpan + "\n" + oneSpan, 2},
		{"byte order mark", "\xEF\xBB\xBF" + oneSpan + "\n", 1},
		{"only a byte order mark", "\xEF\xBB\xBF", 0},
		{"CRLF", oneSpan + "\r\n" + oneSpan + "\r\n", 2},
		{"blank last lines", oneSpan + "\n\n  \n", 1},
		{"a line of 3 MiB", long + "\n" + oneSpan + "\n" + long, 3},
		{"other signals", `{"resourceMetrics":[]}` + "\n" + oneSpan + "\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, spans := readAll(t, file(t, tt.text)); spans != tt.spans {
				t.Errorf("%d spans, want %d", spans, tt.spans)
			}
		})
	}
}

func TestReadFile_errors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.jsonl")
	if err := ingest.ReadFile(path, nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
	path = file(t, oneSpan+"\n{oops}\n"+oneSpan+"\n")
	n := 0
	err := ingest.ReadFile(path, func(ptrace.Traces) error { n++; return nil })
	var torn *ingest.TornError
	if err == nil || !strings.Contains(err.Error(), path+":2") || errors.As(err, &torn) {
		t.Errorf("error %v, want a plain one that names line 2", err)
	}
	if n != 1 {
		t.Errorf("%d lines before the bad one, want 1", n)
	}
	stop := errors.New("enough")
	path = file(t, oneSpan) // no line break: an error of fn is still no torn line
	err = ingest.ReadFile(path, func(ptrace.Traces) error { return stop })
	if !errors.Is(err, stop) || errors.As(err, &torn) || !strings.Contains(err.Error(), path+":1") {
		t.Errorf("error %v, want %v at line 1", err, stop)
	}
}

// However a last line is torn, it is never taken for a smaller request.
func TestReadFile_torn_last_line(t *testing.T) {
	whole := oneSpan + "\n"
	for cut := 1; cut < len(oneSpan); cut++ {
		path := file(t, whole+oneSpan[:cut])
		n := 0
		err := ingest.ReadFile(path, func(ptrace.Traces) error { n++; return nil })
		var torn *ingest.TornError
		if !errors.As(err, &torn) {
			t.Fatalf("cut at %d, %q: error %v, want a TornError", cut, oneSpan[:cut], err)
		}
		if torn.Path != path || torn.Line != 2 || torn.Offset != int64(len(whole)) || n != 1 {
			t.Fatalf("torn %+v after %d lines, want line 2 at offset %d after 1 line", torn, n, len(whole))
		}
		if want := fmt.Sprintf("%s:2", path); !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v does not name %s", err, want)
		}
	}
}

// OT-03.
func TestReadFile_hex_ids(t *testing.T) {
	b, err := os.ReadFile("testdata/otlp-hex-ids-mixed-case.json")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.ReplaceAll(string(b), "\n", " ")
	var spans []ptrace.Span
	err = ingest.ReadFile(file(t, line+"\n"), func(td ptrace.Traces) error {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					spans = append(spans, s)
				}
			}
		}
		return nil
	})
	if err != nil || len(spans) != 2 {
		t.Fatalf("%d spans, error %v; want 2", len(spans), err)
	}
	root, child := spans[0], spans[1]
	if root.TraceID() != child.TraceID() || root.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("trace ids %s and %s, want one", root.TraceID(), child.TraceID())
	}
	if child.ParentSpanID() != root.SpanID() || root.SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("parent %s of the child is not the root %s", child.ParentSpanID(), root.SpanID())
	}
}
