package metrics_test

import (
	"os"
	"strings"
	"testing"
)

// TestDocs: the Go of the page is that of the examples, which the compiler has seen.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(source)) {
		seen[strings.ReplaceAll(strings.TrimSpace(line), "context.Background()", "ctx")] = true
	}
	blocks := strings.Split(string(page), "```")
	n := 0
	for i := 1; i < len(blocks); i += 2 {
		code, isGo := strings.CutPrefix(blocks[i], "go\n")
		if !isGo {
			continue
		}
		n++
		for line := range strings.Lines(code) {
			if !seen[strings.TrimSpace(line)] {
				t.Errorf("no example has the line %q", line)
			}
		}
	}
	if n != 3 {
		t.Errorf("the page has %d blocks of Go, want 3", n)
	}
}
