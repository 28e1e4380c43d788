// Package scaffold writes the beginning of a new environment: a resources server in Go with one tool and a verifier, a test
// that plays its data, a configuration, and a program that runs it all.
//
//	written, err := scaffold.Write(scaffold.Options{Name: "letter_count"})
//
// What it writes builds and passes its test as it is. It stands in resources_servers/NAME, where `--resources-server NAME`
// finds it. Inside of a Go module it becomes packages of that module, unless it is to be one of its own; elsewhere it always
// is. Nothing that is there already is overwritten: then Write changes nothing.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed template
var templates embed.FS

// Options say what to write. Name is needed.
type Options struct {
	Name   string // of the environment: lower-case letters, digits and _, as a Python package has it
	Root   string // the folder in which resources_servers stands; "" is the current one
	Module string // path of a module of its own; "" joins the module around the folder, and is example.com/NAME where there is none
}

// Written is what Write has done.
type Written struct {
	Name  string
	Dir   string
	Files []string
	Own   bool // a module of its own was made
}

// ErrName says that a name cannot be one of an environment, or a module path is none.
var ErrName = errors.New("not a name")

var (
	goodName   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	goodModule = regexp.MustCompile(`^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$`)
)

// files are what is written: the name with NAME in it, and the template.
var files = [][2]string{
	{"server.go", "server.go.tmpl"},
	{"server_test.go", "server_test.go.tmpl"},
	{"data/example.jsonl", "example.jsonl.tmpl"},
	{"configs/NAME.yaml", "config.yaml.tmpl"},
	{"cmd/NAME/main.go", "main.go.tmpl"},
	{"README.md", "README.md.tmpl"},
}

// Write writes the environment.
func Write(o Options) (*Written, error) {
	if name := packageName(o.Name); token.IsKeyword(name) || name == "main" || o.Name == "testdata" {
		return nil, fmt.Errorf("cannot name an environment %q: %w of a package, for Go has another meaning for it; choose another", o.Name, ErrName)
	}
	if !goodName.MatchString(o.Name) {
		return nil, fmt.Errorf("cannot name an environment %q: %w; use lower-case letters, digits and _, a letter first, for example letter_count", o.Name, ErrName)
	}
	if o.Module != "" && !goodModule.MatchString(o.Module) {
		return nil, fmt.Errorf("cannot name a module %q: %w; it is a path, for example example.com/%s", o.Module, ErrName, o.Name)
	}
	dir := filepath.Join(o.Root, "resources_servers", o.Name)
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("cannot write environment %q: %s is there already; choose another name or folder", o.Name, dir)
	}
	imports, own, err := importPath(dir, o)
	if err != nil {
		return nil, err
	}
	w := &Written{Name: o.Name, Dir: dir, Own: own}
	contents, err := render(o.Name, imports)
	if err != nil {
		return nil, err
	}
	if own {
		contents["go.mod"] = []byte("module " + imports + "\n\ngo 1.26.0\n")
	}
	return w, w.write(contents)
}

// packageName is the name without what Go's packages do not have.
func packageName(name string) string { return strings.ReplaceAll(name, "_", "") }

// render fills every template.
func render(name, imports string) (map[string][]byte, error) {
	all, err := template.ParseFS(templates, "template/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("cannot read the templates: %w", err)
	}
	data := struct{ Name, Package, Import string }{name, packageName(name), imports}
	contents := map[string][]byte{}
	for _, f := range files {
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, f[1], data); err != nil {
			return nil, fmt.Errorf("cannot fill %s: %w", f[1], err)
		}
		text := b.Bytes()
		if strings.HasSuffix(f[0], ".go") {
			if text, err = format.Source(text); err != nil { // imports are in another order under another name
				return nil, fmt.Errorf("cannot format %s: %w", f[1], err)
			}
		}
		contents[strings.ReplaceAll(f[0], "NAME", name)] = text
	}
	return contents, nil
}

// write puts the files in their place.
func (w *Written) write(contents map[string][]byte) error {
	names := []string{"go.mod"}
	for _, f := range files {
		names = append(names, strings.ReplaceAll(f[0], "NAME", w.Name))
	}
	for _, name := range names {
		text, ok := contents[name]
		if !ok {
			continue
		}
		file := filepath.Join(w.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("cannot write environment %q: %w", w.Name, err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fmt.Errorf("cannot write environment %q: %w", w.Name, err)
		}
		w.Files = append(w.Files, file)
	}
	return nil
}

// importPath is the path by which the environment is imported; own says that it needs a module of its own.
func importPath(dir string, o Options) (imports string, own bool, err error) {
	if o.Module != "" {
		return o.Module, true, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", false, fmt.Errorf("cannot find the folder %s: %w", dir, err)
	}
	for at := filepath.Dir(abs); ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil {
			module := moduleOf(text)
			if module == "" {
				return "", false, fmt.Errorf("cannot find the module's path in %s", filepath.Join(at, "go.mod"))
			}
			below, err := filepath.Rel(at, abs)
			return path.Join(module, filepath.ToSlash(below)), false, err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", false, fmt.Errorf("cannot look for a module: %w", err)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "example.com/" + o.Name, true, nil
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// moduleOf is the path that a go.mod declares, "" when it declares none.
func moduleOf(text []byte) string {
	if m := moduleLine.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// String says what was written and what to do next.
func (w *Written) String() string {
	var b strings.Builder
	for _, f := range w.Files {
		fmt.Fprintln(&b, f)
	}
	fmt.Fprintf(&b, "\nNext:\n  cd %s\n", w.Dir)
	b.WriteString("  go mod tidy     # finds github.com/lensgo/lens/gym; docs/tutorial-environment.md has how before its first release\n")
	fmt.Fprintf(&b, "  go test ./...\n  go run ./cmd/%s\n", w.Name)
	return b.String()
}
