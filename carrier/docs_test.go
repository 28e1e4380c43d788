package carrier_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs holds that the page's Go is the examples' Go: each line of it stands in this package.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "carriers.md"))
	if err != nil {
		t.Fatal(err)
	}
	code := lines(t)
	seen := 0
	inGo := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inGo = line == "```go"
		case inGo && line != "":
			if seen++; !code[line] {
				t.Errorf("no example has the line %s", line)
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d lines of Go on the page; the scanner is broken", seen)
	}
}

// lines are the lines of this package and of its examples.
func lines(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "example_") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(src)) {
			all[strings.TrimSpace(line)] = true
		}
	}
	return all
}
