package conventions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/conventions"
)

const root = "../../.."

func table(t *testing.T) *conventions.Table {
	t.Helper()
	table, err := conventions.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestOutputs: the constants and the page are what the table says, and package semconv has no file that it does not say.
func TestOutputs(t *testing.T) {
	outputs, err := table(t).Outputs()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range outputs {
		is, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		} else if line, table, file := difference(string(want), string(is)); line > 0 {
			t.Errorf("%s is not what %s says: go generate ./semconv writes it. Line %d is\n%s\nand the table makes it\n%s", name, conventions.File, line, file, table)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "semconv", "*.go"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if name := "semconv/" + filepath.Base(file); outputs[name] == nil && name != "semconv/semconv.go" {
			t.Errorf("%s is written by hand: its names belong into %s", name, conventions.File)
		}
	}
}

// difference is the first line, from 1, in which texts differ; 0 for none.
func difference(a, b string) (line int, inA, inB string) {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(linesA), len(linesB)) {
		inA, inB = "(nothing)", "(nothing)"
		if i < len(linesA) {
			inA = linesA[i]
		}
		if i < len(linesB) {
			inB = linesB[i]
		}
		if inA != inB {
			return i + 1, inA, inB
		}
	}
	return 0, "", ""
}
