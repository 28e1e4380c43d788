package scaffold

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository is the folder of this repository's modules.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// workspace lets a module in dir see the modules of this repository, as `go work` does for somebody who works on both.
func workspace(t *testing.T, dir, module string) (file string) {
	t.Helper()
	repo := repository(t)
	text := "go 1.26.0\n\nuse (\n\t" + module + "\n"
	for _, of := range []string{"", "gym", "telemetry", "viewer"} {
		text += "\t" + filepath.Join(repo, of) + "\n"
	}
	file = filepath.Join(dir, "go.work")
	if err := os.WriteFile(file, []byte(text+")\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs the go command in a folder.
func run(t *testing.T, dir, work string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "OTEL_") && !strings.HasPrefix(name, "NEMO_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GOWORK="+work, "GOFLAGS=", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// What is written builds, passes vet and its test, and plays its data with a model that needs nothing.
func TestWrite(t *testing.T) {
	for name, inside := range map[string]string{"a module of its own": "", "a module that is there": "module somewhere.org/mine\n\ngo 1.26.0\n"} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			module := filepath.Join(root, "resources_servers", "word_length")
			if inside != "" {
				module = root
				if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte(inside), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := Options{Name: "word_length", Root: root}
			if inside == "" {
				o.Module = "here.org/word_length"
			}
			w, err := Write(o)
			if err != nil {
				t.Fatal(err)
			}
			if w.Own != (inside == "") || len(w.Files) != 6+map[bool]int{true: 1}[w.Own] {
				t.Errorf("%+v", w)
			}
			if next := w.String(); !strings.Contains(next, "go test ./...") || !strings.Contains(next, "go mod tidy") {
				t.Errorf("it says\n%s", next)
			}
			work := workspace(t, t.TempDir(), module)
			if unformatted := gofmt(t, w.Dir); unformatted != "" {
				t.Errorf("not formatted: %s", unformatted)
			}
			run(t, w.Dir, work, "vet", "./...")
			if out := run(t, w.Dir, work, "test", "./..."); !strings.Contains(out, "ok") {
				t.Errorf("no test has run:\n%s", out)
			}
			if inside != "" {
				return // the program differs by one import
			}
			run(t, w.Dir, work, "run", "./cmd/word_length", "++policy_model.responses_api_models.synthetic_model.mistake_rate=0")
			if rewards := rewards(t, filepath.Join(w.Dir, "results", "rollouts.jsonl")); !slices.Equal(rewards, []float64{1, 1, 1, 1, 1}) {
				t.Errorf("rewards %v", rewards)
			}
		})
	}
}

func gofmt(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("gofmt: %v\n%s", err, out)
	}
	return string(out)
}

// rewards reads the results of a run.
func rewards(t *testing.T, path string) (list []float64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var row struct {
			Reward   float64 `json:"reward"`
			Answered []int   `json:"answered"`
		}
		if err := json.Unmarshal(line, &row); err != nil || len(row.Answered) == 0 && row.Reward > 0 {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, row.Reward)
	}
	return list
}

func TestWrite_refuses(t *testing.T) {
	root := t.TempDir()
	if _, err := Write(Options{Name: "there", Root: root}); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"nothing": {}, "capitals": {Name: "Words"}, "a path": {Name: "a/b"}, "dots": {Name: ".."}, "a keyword": {Name: "func"}, "main": {Name: "main"}, "passed over by Go": {Name: "testdata"},
		"a digit first": {Name: "7up"}, "a dash": {Name: "a-b"}, "a module": {Name: "fine", Module: "a b"},
	} {
		o.Root = root
		if _, err := Write(o); !errors.Is(err, ErrName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Write(Options{Name: "there", Root: root}); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("it was written twice: %v", err)
	}
	entries, err := os.ReadDir(filepath.Join(root, "resources_servers"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
