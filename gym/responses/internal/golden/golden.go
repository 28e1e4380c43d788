// Package golden compares what tests of conversions get with files of wire JSON, which `go test -update` writes anew.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Inputs returns the names of the cases of a folder: its files NAME.in.json.
func Inputs(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.in.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", folder, err)
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(filepath.Base(f), ".in.json")
	}
	return names
}

// Read returns a file.
func Read(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// JSON compares a JSON value with the file: tokens byte by byte, blanks between them aside.
func JSON(t *testing.T, file string, got []byte) {
	t.Helper()
	v := jsontext.Value(bytes.Clone(got))
	if err := v.Indent(jsontext.WithIndent(" ")); err != nil {
		t.Fatalf("no JSON: %v in %s", err, got)
	}
	Text(t, file, append(v, '\n'))
}

// Text compares a text with the file.
func Text(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
