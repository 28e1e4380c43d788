package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
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

var updatePages = flag.Bool("update-pages", false, "write what the examples print into docs/export.md")

// example is a program on a page, and where the page says what it prints.
type example struct {
	Language string `json:"language"`
	Text     string `json:"text"`
	from, to int    // of the output in the page
}

var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// examplesOf finds the programs of a page that are followed by their output.
func examplesOf(page string) (list []example, commands []string) {
	blocks := fence.FindAllStringSubmatchIndex(page, -1)
	for i, b := range blocks {
		language, text := page[b[2]:b[3]], page[b[4]:b[5]]
		switch language {
		case "sh":
			commands = append(commands, strings.Split(text, "\n")...)
		case "sql", "python":
			e := example{Language: language, Text: text}
			if i+1 < len(blocks) && blocks[i+1][2] == blocks[i+1][3] {
				e.from, e.to = blocks[i+1][4], blocks[i+1][5]
			}
			list = append(list, e)
		}
	}
	return list, commands
}

// runner runs examples one after the other, and prints what each printed.
const runner = `
import contextlib, io, json, sys
import duckdb
outputs = []
for e in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if e["language"] == "sql":
            print(duckdb.sql(e["text"].strip().rstrip(";")))
        else:
            exec(compile(e["text"], "example", "exec"), {})
    outputs.append("".join(line.rstrip() + "\n" for line in out.getvalue().rstrip().splitlines()))
json.dump(outputs, sys.stdout)
`

// python is an interpreter that has what the examples need: $LENS_TEST_PYTHON, else python3.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("LENS_TEST_PYTHON")
	if path == "" {
		path = "python3"
	}
	if out, err := exec.Command(path, "-c", "import duckdb, pandas, opentelemetry.proto").CombinedOutput(); err != nil {
		need.NoError(t, fmt.Errorf("%s does not have duckdb, pandas and opentelemetry-proto (LENS_TEST_PYTHON names another): %w\n%s", path, err, out))
	}
	return path
}

// The examples of docs/export.md print what the page says.
func TestExportPage(t *testing.T) {
	interpreter := python(t)
	const path = "../../docs/export.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	list, commands := examplesOf(page)
	dir := t.TempDir()
	fixture, err := os.ReadFile(demo)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo.jsonl.gz"), fixture, 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, line := range commands {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "lens" && words[2] == "demo.jsonl.gz" {
			ran++
			runIn(t, dir, nil, lensBinary, words[1:]...)
		}
	}
	if ran < 4 || len(list) < 6 {
		t.Fatalf("found %d commands and %d examples: the page is read wrongly", ran, len(list))
	}
	outputs := runExamples(t, interpreter, dir, list)
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if e.to == 0 {
			t.Errorf("no output stands behind\n%s", e.Text)
			continue
		}
		if want := page[e.from:e.to]; want != outputs[i] && !*updatePages {
			t.Errorf("%s\nprints\n%s\nthe page says (-update-pages writes it)\n%s", e.Text, outputs[i], want)
		}
		page = page[:e.from] + outputs[i] + page[e.to:]
	}
	if *updatePages {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func runExamples(t *testing.T, interpreter, dir string, list []example) (outputs []string) {
	t.Helper()
	in, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	out := runIn(t, dir, in, interpreter, "-c", runner)
	if err := json.Unmarshal(out, &outputs); err != nil || len(outputs) != len(list) {
		t.Fatalf("%d outputs of %d examples: %v\n%s", len(outputs), len(list), err, out)
	}
	return outputs
}

func runIn(t *testing.T, dir string, in []byte, name string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(name), args, err, &errs)
	}
	return out
}
