package results_test

import (
	"testing"

	"github.com/lensgo/lens/gym/results"
)

func TestFilesOf(t *testing.T) {
	for output, want := range map[string]string{
		"a/b.jsonl":    "a/b_failures.jsonl",
		"a/b.c.jsonl":  "a/b.c_failures.jsonl",
		"a.b/c":        "a.b/c_failures.jsonl",
		".jsonl":       ".jsonl_failures.jsonl",
		"a/b.jsonl.gz": "a/b_failures.jsonl",
	} {
		if got := results.FilesOf(output).Failures; got != want {
			t.Errorf("%s: %s, want %s", output, got, want)
		}
	}
}
