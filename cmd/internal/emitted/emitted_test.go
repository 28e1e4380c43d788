//go:build !lens_off

package emitted_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/conventions"
	"github.com/lensgo/lens/cmd/internal/emitted"
)

var (
	want = regexp.MustCompile(`// want (.*)$`)
	one  = regexp.MustCompile(`(\w+) "([^"]*)"( (?:string\[\]|string|int|double|boolean))?`)
)

// TestFind compares what is found in a package with what stands in its comments.
func TestFind(t *testing.T) {
	const file = "testdata/names/names.go"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for i, line := range strings.Split(string(source), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			for _, w := range one.FindAllStringSubmatch(m[1], -1) {
				wanted = append(wanted, fmt.Sprintf("%s:%d %s %q %s", file, i+1, w[1], w[2], strings.TrimSpace(w[3])))
			}
		}
	}
	names, err := emitted.Find(t.Context(), ".", "./testdata/names")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, n := range names {
		if n.Text == "chosen.b" && !strings.Contains(strings.Split(string(source), "\n")[lineOf(t, n.Origin)-1], `"chosen.b"`) {
			t.Errorf("it stands at %s, which is not where it does", n.Origin)
		}
		found = append(found, fmt.Sprintf("%s %s %q %s", n.Position, n.Kind, strings.ReplaceAll(n.Text, conventions.Hole, "*"), n.Type))
	}
	for _, w := range wanted {
		if !slices.Contains(found, w) {
			t.Errorf("not found: %s", w)
		}
	}
	for _, f := range found {
		if !slices.Contains(wanted, f) {
			t.Errorf("nobody wants: %s", f)
		}
	}
	if len(wanted) < 30 {
		t.Errorf("only %d names are wanted", len(wanted))
	}
}

// lineOf is the line in file:line.
func lineOf(t *testing.T, position string) int {
	t.Helper()
	n, err := strconv.Atoi(position[strings.LastIndexByte(position, ':')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What cannot be read is an error, and no list that is short.
func TestFindNothing(t *testing.T) {
	if names, err := emitted.Find(t.Context(), ".", "./testdata/none"); err == nil {
		t.Errorf("a package that is not there has %v", names)
	}
}
