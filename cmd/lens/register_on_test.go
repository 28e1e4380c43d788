//go:build !lens_off

package main_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/internal/need"
)

// block is a fenced block of a page: its language, and its lines without the indentation of the fence.
type block struct{ lang, text string }

var fenced = regexp.MustCompile("(?ms)^( *)```(\\w+)\n(.*?)^ *```$")

func blocksOf(page string) (blocks []block) {
	for _, m := range fenced.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block{m[2], regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[3], "")})
	}
	return blocks
}

// fileName is the path that the first line of a Go block may have in a comment.
var fileName = regexp.MustCompile(`\A// (\S+\.go)\n\n?`)

// scriptOf makes one shell script of a page: files are written where the page shows them, and commands are run in their order. What a
// console block shows must be what its command prints.
func scriptOf(t *testing.T, page, dir string) string {
	t.Helper()
	script := "set -eu\n"
	for _, b := range blocksOf(page) {
		switch file := fileName.FindStringSubmatch(b.text); {
		case b.lang == "sh":
			script += b.text
		case b.lang == "go" && file != nil:
			script += "mkdir -p " + filepath.Dir(file[1]) + "\ncat > " + file[1] + " <<'END'\n" + strings.TrimPrefix(b.text, file[0]) + "END\n"
		case b.lang == "console":
			command, want, _ := strings.Cut(strings.TrimPrefix(b.text, "$ "), "\n")
			path := filepath.Join(dir, "want.txt")
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
			script += command + " | diff " + path + " -\n"
		}
	}
	return script
}

// TestRegisterASpanGroup follows docs/register-a-span-group.md in an empty folder, with the clone beside it and no network, and then
// writes the tests that docs/testing.md begins with.
func TestRegisterASpanGroup(t *testing.T) {
	page, err := os.ReadFile("../../docs/register-a-span-group.md")
	if err != nil {
		t.Fatal(err)
	}
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = os.Symlink(clone, filepath.Join(dir, "lens"))
	need.NoError(t, err)
	tests, err := os.ReadFile("../../docs/testing.md") // its first tests are for the same library
	need.NoError(t, err)
	out := runScript(t, dir, scriptOf(t, string(page), dir)+strings.TrimPrefix(scriptOf(t, string(tests), dir), "set -eu\n")+"go test -v -run Step\\|canceled .\n")

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

// runScript runs a script as somebody with a fresh home; the caches of Go stay, so that nothing is fetched.
func runScript(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	caches, err := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths := strings.Fields(string(caches))
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
	// GOSUMDB: sums come out of the cache, and nobody can be asked.
	cmd.Env = append(os.Environ(), "HOME="+dir, "GOCACHE="+paths[0], "GOMODCACHE="+paths[1], "GOPROXY=off", "GOSUMDB=off", "GOWORK=", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
