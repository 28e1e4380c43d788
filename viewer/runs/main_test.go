package runs

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// piece is a span as the store hands it over.
type piece struct {
	r  *otlp.Resource
	sc *otlp.Scope
	s  *otlp.Span
}

// walk lists the spans of a request.
func walk(t testing.TB, req []byte) (out []piece) {
	t.Helper()
	if err := otlp.WalkTraces(req, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		out = append(out, piece{r, sc, s.Clone()})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// demo is eight rollouts of a real run of `gym demo`, two attempts each of one task of two environments and of two tasks of the
// third, with the traces of the job and the start.
func demo(t testing.TB) (out []piece) {
	t.Helper()
	packed, err := os.ReadFile("testdata/demo.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(gz); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text.Bytes()) {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(line)
		if err != nil {
			t.Fatal(err)
		}
		req, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, walk(t, req)...)
	}
	return out
}

func feed(m *Model, pieces []piece) {
	for _, p := range pieces {
		m.Add(p.r, p.sc, p.s, store.Ref{})
	}
}
