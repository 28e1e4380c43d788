package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/ingest"
)

func zst(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	must(t, err)
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// lines has one line of each official sample.
func lines(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	for _, s := range []string{"traces", "metrics", "logs", "events"} {
		out.WriteString(strings.ReplaceAll(string(sample(t, s)), "\n", " ") + "\n")
	}
	return out.String()
}

// spread prints each line over many.
func spread(t *testing.T, lines string) string {
	t.Helper()
	var out bytes.Buffer
	for line := range strings.Lines(lines) {
		must(t, json.Indent(&out, []byte(line), "", "  "))
		out.WriteByte('\n')
	}
	return out.String()
}

func TestLoad(t *testing.T) {
	text := lines(t)
	both := `{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}],"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{}]}]}]}` + "\n"
	all := ingest.Loaded{Requests: 4, Spans: 1, DataPoints: 3, LogRecords: 2}
	for _, tt := range []struct {
		name string
		file []byte
		want ingest.Loaded
	}{
		{"nothing", nil, ingest.Loaded{}},
		{"blank lines", []byte("\xEF\xBB\xBF\n\r\n {} \n"), ingest.Loaded{}},
		{"all signals", []byte(text), all},
		{"two signals in a line", []byte(both), ingest.Loaded{Requests: 2, Spans: 1, LogRecords: 2}},
		{"gzip", gz(t, []byte(text)), all},
		{"gzip of several members", append(gz(t, []byte(text[:100])), gz(t, []byte(text[100:]))...), all},
		{"zstd", zst(t, []byte(text)), all},
		{"zstd of several frames", append(zst(t, []byte(text[:100])), zst(t, []byte(text[100:]))...), all},
		{"zstd behind a frame to skip", append([]byte{0x5A, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'h', 'i'}, zst(t, []byte(text))...), all},
		{"printed for people", []byte(spread(t, text)), all},
		{"printed for people, compressed", gz(t, []byte("\xEF\xBB\xBF"+spread(t, text))), all},
		{"no last line break", []byte(strings.TrimSuffix(text, "\n")), all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, sink := filepath.Join(t.TempDir(), "data.any"), &shelf{}
			must(t, os.WriteFile(path, tt.file, 0o600))
			got, err := ingest.Load(t.Context(), path, sink)
			must(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("loaded (-want +got):\n%s", diff)
			}
			spans, _, records := sink.decoded(t)
			if len(spans) != tt.want.Spans || len(records) != tt.want.LogRecords {
				t.Errorf("the sink has %d spans and %d records", len(spans), len(records))
			}
		})
	}
}

func TestLoad_rejected(t *testing.T) {
	got, err := ingest.Load(t.Context(), file(t, lines(t)), &shelf{rejected: 1, why: "no room"})
	must(t, err)
	want := ingest.Loaded{Requests: 4, DataPoints: 2, Rejected: 4, Why: []string{"no room"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
}

func TestLoad_errors(t *testing.T) {
	full := errors.New("disk is full")
	for _, tt := range []struct {
		name, text string
		sink       error
		line, want string
		torn       bool
	}{
		{"a bad line", oneSpan + "\n{oops}\n" + oneSpan + "\n", nil, ":2", "invalid character 'o'", false},
		{"two requests in a line", oneSpan + oneSpan + "\n", nil, ":1", "after top-level value", false},
		{"a wrong type", `{"resourceSpans":{}}` + "\n", nil, ":1", "ExportTraceServiceRequest", false},
		{"something else", `{"reward":1,"response":{}}` + "\n", nil, ":1", `["reward" "response"]`, false},
		{"the sink", oneSpan + "\n", full, ":1", "disk is full", false},
		{"torn", oneSpan + "\n" + oneSpan[:99], nil, ":2", "torn", true},
		{"torn at once", oneSpan[:99], nil, ":1", "torn", true},
		{"printed for people and cut off", "{\n\"resourceSpans\": [\n", nil, " from byte 0 on", "unexpected EOF", false},
		{"the sink at a line without end", oneSpan, full, ":1", "disk is full", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, sink := file(t, tt.text), &shelf{err: tt.sink}
			got, err := ingest.Load(t.Context(), path, sink)
			var torn *ingest.TornError
			if err == nil || !strings.Contains(err.Error(), path+tt.line) || !strings.Contains(err.Error(), tt.want) || errors.As(err, &torn) != tt.torn {
				t.Errorf("error %v, want one at %s with %q, torn %v", err, tt.line, tt.want, tt.torn)
			}
			if tt.sink != nil && !errors.Is(err, tt.sink) {
				t.Errorf("error %v does not wrap that of the sink", err)
			}
			if got.Requests != len(sink.traces) || got.Spans != got.Requests {
				t.Errorf("loaded %+v, the sink has %d", got, len(sink.traces))
			}
		})
	}
	if _, err := ingest.Load(t.Context(), t.TempDir()+"/missing", &shelf{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one of a missing file", err)
	}
	if _, err := ingest.Load(t.Context(), t.TempDir(), &shelf{}); err == nil {
		t.Error("no error for a folder")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ingest.Load(ctx, file(t, oneSpan), &shelf{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// Compressed data that is cut off, as a crash leaves it: what came before is there.
func TestLoad_cut_off_compressed(t *testing.T) {
	text := []byte(strings.Repeat(oneSpan+"\n", 3000))
	for name, packed := range map[string][]byte{"gzip": gz(t, text), "zstd": zst(t, text)} {
		for _, cut := range []int{1, len(packed) / 2} {
			path, sink := filepath.Join(t.TempDir(), "t.jsonl"), &shelf{}
			must(t, os.WriteFile(path, packed[:len(packed)-cut], 0o600))
			got, err := ingest.Load(t.Context(), path, sink)
			var torn *ingest.TornError
			if !errors.As(err, &torn) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: error %v, want a TornError of data that is cut off", name, err)
			}
			if got.Requests != len(sink.traces) || got.Requests > 3000 {
				t.Errorf("%s: %d requests, the sink has %d", name, got.Requests, len(sink.traces))
			}
		}
		path := filepath.Join(t.TempDir(), "t.jsonl")
		must(t, os.WriteFile(path, append(bytes.Clone(packed), "garbage"...), 0o600))
		got, err := ingest.Load(t.Context(), path, &shelf{})
		if err == nil || got.Requests != 3000 {
			t.Errorf("%s with something behind it: %d requests, error %v; want 3000 and an error", name, got.Requests, err)
		}
	}
}

func TestOpenFile(t *testing.T) {
	for name, b := range map[string][]byte{
		"plain": []byte("hello"), "gzip": gz(t, []byte("hello")), "zstd": zst(t, []byte("hello")),
	} {
		path := filepath.Join(t.TempDir(), "f")
		must(t, os.WriteFile(path, b, 0o600))
		f, err := ingest.OpenFile(path)
		must(t, err)
		got, err := io.ReadAll(f)
		if err != nil || string(got) != "hello" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		must(t, f.Close())
	}
	path := filepath.Join(t.TempDir(), "f")
	must(t, os.WriteFile(path, []byte{0x1F, 0x8B, 8}, 0o600))
	if _, err := ingest.OpenFile(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}

func TestReadFile_compressed(t *testing.T) {
	for name, b := range map[string][]byte{"gzip": gz(t, []byte(lines(t))), "zstd": zst(t, []byte(lines(t)))} {
		path := filepath.Join(t.TempDir(), "f")
		must(t, os.WriteFile(path, b, 0o600))
		n, spans := 0, 0
		must(t, ingest.ReadFile(path, func(td ptrace.Traces) error { n++; spans += td.SpanCount(); return nil }))
		if n != 4 || spans != 1 {
			t.Errorf("%s: %d lines, %d spans; want 4 and 1", name, n, spans)
		}
	}
}
