package reference

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Page is a page of which parts are written from the code. A part stands between the lines
//
//	<!-- generated: NAME -->
//	<!-- end: NAME -->
type Page struct {
	Path   string
	Update bool // write the page where it is stale
}

// Check compares a part of the page with what it must be.
func (p Page) Check(t *testing.T, name, want string) {
	t.Helper()
	text, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	page, stale, err := replace(string(text), name, want)
	switch {
	case err != nil:
		t.Fatalf("%s: %v", p.Path, err)
	case stale && !p.Update:
		t.Errorf("%s: %s is not what the code says: run this test with -update, and look at the difference", p.Path, name)
	case stale:
		if err := os.WriteFile(p.Path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// replace puts a part into a page; stale says that the page had another one.
func replace(page, name, part string) (text string, stale bool, err error) {
	begin, end := fmt.Sprintf("<!-- generated: %s -->\n", name), fmt.Sprintf("<!-- end: %s -->\n", name)
	before, rest, found := strings.Cut(page, begin)
	old, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", false, fmt.Errorf("there is no part %s: it stands between the lines %q and %q", name, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	part = "\n" + strings.TrimSpace(part) + "\n\n"
	return before + begin + part + end + after, old != part, nil
}
