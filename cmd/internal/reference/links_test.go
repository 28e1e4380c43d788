package reference

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notID   = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
	code    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// TestLinks follows the links of all pages that stay in the repository, to the heading where they name one, and looks for each
// page in README.md.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	readme := read(t, filepath.Join(root, "README.md"))
	for _, page := range pages {
		if name := "docs/" + filepath.Base(page); !strings.Contains(readme, "("+name+")") {
			t.Errorf("README.md does not link to %s", name)
		}
	}
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CHANGELOG.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, page), ""), -1) {
			if !strings.Contains(m[1], "://") {
				follow(t, page, m[1])
			}
		}
	}
}

func follow(t *testing.T, page, to string) {
	t.Helper()
	path, anchor, _ := strings.Cut(to, "#")
	target := page
	if path != "" {
		target = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(target); err != nil {
		t.Errorf("%s links to %s: %v", page, to, err)
		return
	}
	if anchor == "" || filepath.Ext(target) != ".md" {
		return
	}
	for _, m := range heading.FindAllStringSubmatch(read(t, target), -1) {
		if id := strings.ReplaceAll(notID.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"); id == anchor {
			return
		}
	}
	t.Errorf("%s links to %s, and there is no such heading", page, to)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
