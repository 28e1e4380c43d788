// Package follow does what a page of the documentation tells its reader to do: it writes the files that the page shows, runs its
// commands in their order, and compares what they print with what the page says.
package follow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/internal/need"
)

// Block is a fenced block of a page: its language, and its lines without the indentation of the fence.
type Block struct{ Lang, Text string }

var fenced = regexp.MustCompile("(?ms)^( *)```(\\w+)\n(.*?)^ *```$")

// Blocks are the blocks of a page that have a language.
func Blocks(page string) (blocks []Block) {
	for _, m := range fenced.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, Block{m[2], regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[3], "")})
	}
	return blocks
}

// fileName is the path that the first line of a Go block may have in a comment.
var fileName = regexp.MustCompile(`\A// (\S+\.go)\n\n?`)

// Script makes one shell script of blocks: Go files are written where the page shows them, and commands are run in their order.
// What a console block shows must be what its command prints. dir is a folder for what is compared with.
func Script(t *testing.T, blocks []Block, dir string) string {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -eu\n")
	for i, b := range blocks {
		switch file := fileName.FindStringSubmatch(b.Text); {
		case b.Lang == "sh":
			script.WriteString(b.Text)
		case b.Lang == "go" && file != nil:
			script.WriteString("mkdir -p " + filepath.Dir(file[1]) + "\ncat > " + file[1] + " <<'END'\n" + strings.TrimPrefix(b.Text, file[0]) + "END\n")
		case b.Lang == "console":
			command, want, _ := strings.Cut(strings.TrimPrefix(b.Text, "$ "), "\n")
			path := filepath.Join(dir, fmt.Sprintf("want%d.txt", i))
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
			script.WriteString(command + " | diff " + path + " -\n")
		}
	}
	return script.String()
}

// Beside makes a folder for somebody who begins, with a clone of this repository, lens, in it. clone is the path of the repository.
func Beside(t *testing.T, clone string) (dir string) {
	t.Helper()
	clone, err := filepath.Abs(clone)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	need.NoError(t, os.Symlink(clone, filepath.Join(dir, "lens")))
	return dir
}

// Command prepares a program as somebody with a fresh home would run it; the caches of Go stay, and nothing can be fetched.
func Command(ctx context.Context, t *testing.T, home, name string, args ...string) *exec.Cmd {
	t.Helper()
	caches, err := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths := strings.Fields(string(caches))
	cmd := exec.CommandContext(ctx, name, args...)
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(key, "OTEL_") && !strings.HasPrefix(key, "NEMO_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	// GOSUMDB: sums come out of the cache, and nobody can be asked.
	cmd.Env = append(cmd.Env, "HOME="+home, "GOCACHE="+paths[0], "GOMODCACHE="+paths[1], "GOPROXY=off", "GOSUMDB=off", "GOWORK=", "GOFLAGS=")
	return cmd
}

// Run runs a script in a folder that is a home too, and gives what it prints.
func Run(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := Command(ctx, t, dir, "sh")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
