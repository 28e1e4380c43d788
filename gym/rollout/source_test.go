package rollout

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func compressed(t testing.TB, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	write, done := w.Write, w.Close
	if strings.HasSuffix(name, ".gz") {
		g := gzip.NewWriter(&b)
		write, done = g.Write, g.Close
	}
	if _, err := write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := done(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Tasks come compressed too, and are the same data then.
func TestRun_compressed(t *testing.T) {
	f := newFixture(t, inputRows(5))
	plain := f.prepare()
	for _, name := range []string{"in.jsonl.gz", "in.jsonl.zst", "misnamed.jsonl"} {
		kind := name
		if name == "misnamed.jsonl" {
			kind = "x.gz"
		}
		f.write(name, compressed(t, kind, inputRows(5)))
		f.o.Input = f.path(name)
		p := f.prepare()
		if p.run.Data.Hash != plain.run.Data.Hash {
			t.Errorf("%s has another hash", name)
		}
		if s, err := p.Run(t.Context(), newAgent(t).client(t)); err != nil || s.Scored != 5 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	whole := compressed(t, "x.gz", inputRows(100))
	f.write("in.jsonl.gz", whole[:len(whole)/2])
	f.o.Input = f.path("in.jsonl.gz")
	if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), "in.jsonl.gz:") {
		t.Errorf("of a file that is cut off: %v", err)
	}
	f.write("in.jsonl.gz", compressed(t, "x.gz", "{}\n{\n"))
	if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), "in.jsonl.gz:2: ") {
		t.Errorf("of bad rows: %v", err)
	}
}
