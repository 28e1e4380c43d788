package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// FuzzWrite holds that whatever a store took can be written, as documents that parsers read, with every span in them.
func FuzzWrite(f *testing.F) {
	seed := ptrace.NewTraces()
	rs := seed.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "a,\"b\"\n")
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("gym.rollout")
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{2})
	full(span)
	req, err := ptraceotlp.NewExportRequestFromTraces(seed).MarshalProto()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(req)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, req []byte) {
		model := runs.NewModel(runs.Options{})
		s, err := store.Open(t.TempDir(), store.Options{Summary: model})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background()) //nolint:errcheck // the folder goes too
		if _, err := s.AddTraces(t.Context(), req); err != nil {
			return
		}
		for _, format := range export.Formats {
			var b bytes.Buffer
			done, err := export.Write(t.Context(), &b, export.Source{Store: s, Runs: model}, export.Options{Format: format})
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			checkDocument(t, format, b.String(), done.Spans)
		}
	})
}

func checkDocument(t *testing.T, format export.Format, text string, spans int) {
	t.Helper()
	switch format {
	case export.OTLPJSON:
		for line := range strings.Lines(text) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("no JSON: %q", line)
			}
		}
	case export.Chrome:
		var doc struct{ TraceEvents []event }
		if err := json.Unmarshal([]byte(text), &doc); err != nil || countPhase(doc.TraceEvents, "X") != spans {
			t.Fatalf("%d spans: %v\n%s", spans, err, text)
		}
	case export.CSV:
		records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(records) != spans+1 {
			t.Fatalf("%d records of %d spans: %v\n%q", len(records), spans, err, text)
		}
	}
}
