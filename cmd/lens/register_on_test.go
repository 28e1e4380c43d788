//go:build !lens_off && !race

// What it starts is built without the race detector, so there it would find nothing.

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/follow"
	"github.com/lensgo/lens/internal/need"
)

// TestRegisterASpanGroup follows docs/register-a-span-group.md in an empty folder, with the clone beside it and no network, and then
// writes the tests that docs/testing.md begins with.
func TestRegisterASpanGroup(t *testing.T) {
	page, err := os.ReadFile("../../docs/register-a-span-group.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := follow.Beside(t, "../..")
	tests, err := os.ReadFile("../../docs/testing.md") // its first tests are for the same library
	need.NoError(t, err)
	blocks := append(follow.Blocks(string(page)), follow.Blocks(string(tests))...)
	out := follow.Run(t, dir, follow.Script(t, blocks, dir)+"go test -v -run Step\\|canceled .\n")

	for _, want := range []string{"ok  \texample.com/mylib\t", `"mylib.train"`, `"mylib.microbatch"`, "--- PASS: TestTrain_canceled"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in what the commands print:\n%s", want, out)
		}
	}
	table, err := os.ReadFile(filepath.Join(dir, "mylib", "docs", "observability.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"`microbatch`", "Job is a whole training", "per_step"} {
		if !strings.Contains(string(table), want) {
			t.Errorf("%s is not in the table:\n%s", want, table)
		}
	}
}
