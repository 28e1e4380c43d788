package results_test

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/lensgo/lens/gym/results"
)

// lines reads a file and returns what its rows are.
func lines(t *testing.T, path string) (out []string, torn *results.Torn, err error) {
	t.Helper()
	torn, err = results.Read(path, func(r results.Row) error {
		out = append(out, string(r.AppendTo(nil)))
		return nil
	})
	return out, torn, err
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	long := `{"x":"` + strings.Repeat("a", 20<<20) + `"}`
	for name, c := range map[string]struct {
		text string
		rows int
		torn bool
	}{
		"empty":                             {"", 0, false},
		"JL-03: 200 KB and 20 MB":           {`{"x":"` + strings.Repeat("b", 200<<10) + `"}` + "\n" + long + "\n", 2, false},
		"blank lines":                       {"{}\n\n  \n{}\n\n", 2, false},
		"CRLF":                              {"{}\r\n{}\r\n", 2, false},
		"a whole last line without its end": {"{}\n{\"a\":1}", 2, false},
		"a torn last line":                  {"{}\n{\"a\":", 1, true},
		"only a torn line":                  {"{", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			rows, torn, err := lines(t, put(t, filepath.Join(dir, "f.jsonl"), c.text))
			if err != nil || len(rows) != c.rows || (torn != nil) != c.torn {
				t.Errorf("%d rows, torn %v, error %v; want %d, %v, none", len(rows), torn, err, c.rows, c.torn)
			}
		})
	}
}

// JL-01, JL-05, JL-09.
func TestRead_cases(t *testing.T) {
	if rows, _, err := lines(t, "testdata/bom.jsonl"); err != nil || len(rows) != 2 {
		t.Errorf("JL-01: %d rows, %v; want 2", len(rows), err)
	}
	for file, want := range map[string][]string{
		"malformed-line-3.jsonl": {"malformed-line-3.jsonl:3"},
		"nan-token.jsonl":        {"nan-token.jsonl:2", "NaN"},
	} {
		_, _, err := lines(t, "testdata/"+file)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v; want %q in it", file, err, w)
			}
		}
	}
}

func packed(t testing.TB, kind, text string) string {
	t.Helper()
	var b bytes.Buffer
	switch kind {
	case ".gz":
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
	case ".zst":
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(text))
		_ = w.Close()
	default:
		return text
	}
	return b.String()
}

func TestRead_compressed(t *testing.T) {
	dir := t.TempDir()
	text := result(0, 0, "1") + result(1, 0, "0")
	for _, kind := range []string{".gz", ".zst"} {
		whole := packed(t, kind, text)
		path := put(t, filepath.Join(dir, "r.jsonl"+kind), whole)
		if rows, torn, err := lines(t, path); err != nil || torn != nil || len(rows) != 2 {
			t.Errorf("%s: %d rows, %v, %v", kind, len(rows), torn, err)
		}
		put(t, path, whole[:len(whole)-6])
		if _, torn, err := lines(t, path); err != nil || torn == nil {
			t.Errorf("%s that is cut off: torn %v, %v; want torn", kind, torn, err)
		}
		s, err := results.Open(put(t, path, whole))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Get(results.Key{Task: 1})
		if err != nil || len(got) != 1 || string(got[0].AppendLine(nil)) != result(1, 0, "0") {
			t.Errorf("%s: row 1:0 is %v, %v", kind, got, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "a.jsonl")
	if _, err := results.Locate(out); err == nil {
		t.Error("a run that is not there was found")
	}
	if _, err := results.Locate(dir); err == nil || !strings.Contains(err.Error(), "no run wrote here") {
		t.Errorf("an empty folder: %v", err)
	}
	put(t, filepath.Join(dir, "a_materialized_inputs.jsonl.gz"), "x")
	if f, err := results.Locate(out); err != nil || f.Output != out {
		t.Errorf("a run without results: %v, %v", f.Output, err)
	}
	put(t, out+".gz", "x")
	for _, name := range []string{out, out + ".gz", dir} {
		f, err := results.Locate(name)
		if err != nil || f.Output != out+".gz" || f.Failures != filepath.Join(dir, "a_failures.jsonl") {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	put(t, filepath.Join(dir, "b_materialized_inputs.jsonl"), "x")
	if _, err := results.Locate(dir); err == nil || !strings.Contains(err.Error(), "2 runs") {
		t.Errorf("a folder with two runs: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(result(0, 0, "1")))
	f.Add([]byte("\uFEFF{}\r\n\n{"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := put(t, filepath.Join(t.TempDir(), "f"), string(data))
		_, _ = results.Read(path, func(r results.Row) error {
			_, _ = r.Key()
			return nil
		})
	})
}
