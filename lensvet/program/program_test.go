package program_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/lensvet/program"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", path, diff)
	}
}

// loaded has the programs that were read, each once: that takes the go command a second.
var loaded sync.Map

func load(t *testing.T, o program.Options, patterns ...string) *program.Program {
	t.Helper()
	once, _ := loaded.LoadOrStore(fmt.Sprint(o, patterns), sync.OnceValues(func() (*program.Program, error) {
		return program.Load(context.Background(), "testdata", patterns, o)
	}))
	p, err := once.(func() (*program.Program, error))()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everything is what there is to say about a program, as text.
func everything(t *testing.T, p *program.Program) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	list(&b, "Findings", p.Check())
	list(&b, "Problems", p.Problems)
	return b.String()
}

func list[T fmt.Stringer](b *bytes.Buffer, title string, lines []T) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(line.String(), "\n", "\n    "))
	}
}

func TestLoad(t *testing.T) {
	for _, name := range []string{"generics", "dynamic", "flow", "registries", "namespaces", "opaque", "tags", "broken"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, name+".txt", everything(t, load(t, program.Options{}, "./"+name)))
		})
	}
}

// More packages are another program: the engine that a preset names is there.
func TestLoad_patterns(t *testing.T) {
	golden(t, "namespaces_all.txt", everything(t, load(t, program.Options{}, "./namespaces/...")))
}

func TestLoad_tags(t *testing.T) {
	golden(t, "tags_gpu.txt", everything(t, load(t, program.Options{Tags: []string{"other", "gpu"}}, "./tags")))
}

func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	if err := load(t, program.Options{}, "./dynamic").WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "dynamic.json", b.String())
}

func TestWriteMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := load(t, program.Options{}, "./namespaces").WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "namespaces.md", b.String())
}

func TestResolve(t *testing.T) {
	for name, test := range map[string]struct{ program, spec string }{
		"presets":      {"namespaces", "default, -Step ,per_step,quiet"},
		"unknown":      {"namespaces", "defualt,ckeckpoint,inference,xyz"},
		"dynamic":      {"dynamic", "layer_3,forward,-layer_1,worker_idle,my_nam"},
		"unregistered": {"registries", "layer,step"},
		"empty":        {"tags", " ,"},
		"all":          {"tags", "all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			r := load(t, program.Options{}, "./"+test.program).Resolve(test.spec)
			if err := r.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			b.WriteString("---\n")
			if err := r.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, "resolve_"+name+".txt", b.String())
		})
	}
}

// A folder that is a module of its own, so that its files may be such that nobody else should see them.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad_fails(t *testing.T) {
	here := program.Options{Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")}
	for name, test := range map[string]struct {
		files    map[string]string
		patterns []string
		options  program.Options
		want     string
	}{
		"no such folder":  {map[string]string{"a.go": "package m\n"}, []string{"./nope"}, here, "nope"},
		"no such package": {map[string]string{"a.go": "package m\n"}, []string{"example.com/m/nope"}, here, "example.com/m/nope"},
		"no match":        {map[string]string{"a.go": "package m\n"}, []string{"./b..."}, here, "no packages match"},
		"no Go files":     {nil, nil, here, "no Go files"},
		"other system":    {map[string]string{"a.go": "//go:build never\n\npackage m\n"}, []string{"."}, here, "build constraints exclude all Go files"},
		"no go command":   {nil, nil, program.Options{Env: []string{"PATH=/nowhere"}}, "cannot load"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.files == nil {
				test.files = map[string]string{}
			}
			p, err := program.Load(t.Context(), module(t, test.files), test.patterns, test.options)
			if err == nil || !strings.HasPrefix(err.Error(), "cannot load ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v, %v; want an error with %q", p, err, test.want)
			}
		})
	}
}

// A file that cannot be parsed to its end is said, and is no reason to fail.
func TestLoad_syntax(t *testing.T) {
	dir := module(t, map[string]string{"a.go": `package m

import "github.com/lensgo/lens"

var Step = lens.NewGroup("step")

func f() {
	x :=
}
`})
	requireLens(t, dir)
	p, err := program.Load(t.Context(), dir, nil, program.Options{Env: append(os.Environ(), "GOWORK=off")})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "syntax.txt", everything(t, p))
}

// requireLens makes a module use this repository's lens, with what that needs.
func requireLens(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) string{
		"go.sum": func(text string) string { return text },
		"go.mod": func(text string) string {
			text = strings.Replace(text, "module github.com/lensgo/lens/lensvet", "module example.com/m", 1)
			return strings.Replace(text, "=> ../", "=> "+root, 1)
		},
	} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(change(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A program that does not know lens has nothing to switch.
func TestLoad_withoutLens(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package m\n"})
	p, err := program.Load(t.Context(), dir, nil, program.Options{Env: append(os.Environ(), "GOWORK=off")})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "without_lens.txt", everything(t, p))
}

func TestLoad_cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := program.Load(ctx, "testdata", []string{"./tags"}, program.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A package may be named by its files.
func TestLoad_files(t *testing.T) {
	p := load(t, program.Options{}, "tags/tags.go", "tags/gpu.go")
	if len(p.Groups) != 2 || len(p.Groups[0].Sites) != 1 {
		t.Errorf("%+v", p.Groups)
	}
}
