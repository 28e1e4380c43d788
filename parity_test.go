//go:build !lens_off

package lens_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParity holds that a build with lens_off has the same surface: every exported name of every package, with its type,
// its methods, its value if it is a constant, and its documentation, where the defaults stand.
func TestParity(t *testing.T) {
	on, off := published(t, ""), published(t, "lens_off")
	if _, ok := on[house]; !ok || len(on) < 10 {
		t.Fatalf("go list found %d packages; the scanner is broken", len(on))
	}
	for _, pkg := range slices.Sorted(maps.Keys(on)) {
		for _, d := range drift(on[pkg], off[pkg]) {
			t.Errorf("%s: %s", pkg, d)
		}
		delete(off, pkg)
	}
	for pkg := range off {
		t.Errorf("%s is there only with lens_off", pkg)
	}
	for _, name := range []string{"method (*Group) Start", "func Wrap", "type Carrier", "const Client", "field State.Pending"} {
		if on[house][name] == "" {
			t.Errorf("%s is not in the surface of the root package; the scanner is broken", name)
		}
	}
}

// surface is what a user sees of a package: an exported name, with what it is, and what it says of itself.
type surface map[string]string

// drift lists where two surfaces differ.
func drift(on, off surface) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(on)) {
		if got, ok := off[name]; !ok {
			out = append(out, name+" is missing with lens_off")
		} else if got != on[name] {
			out = append(out, fmt.Sprintf("%s differs:\n%s\n\nwith lens_off:\n%s", name, on[name], got))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(off)) {
		if _, ok := on[name]; !ok {
			out = append(out, name+" is there only with lens_off")
		}
	}
	return out
}

// published gives the surfaces of the workspace's packages that others can import. The viewer and the linter know nothing
// of lens and are the same in every build.
func published(t *testing.T, tags string) map[string]surface {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-tags", tags, "-json=ImportPath,Name,Export,Dir,GoFiles,DepOnly", "work")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list work: %v\n%s", err, &stderr)
	}
	type listed struct {
		ImportPath, Name, Export, Dir string
		GoFiles                       []string
		DepOnly                       bool
	}
	exports := map[string]string{}
	var ours []listed
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list printed no JSON: %v", err)
		}
		exports[p.ImportPath] = p.Export
		room := strings.TrimPrefix(p.ImportPath, house)
		if !p.DepOnly && p.Name != "main" && !strings.Contains(room+"/", "/internal/") &&
			!strings.HasPrefix(room, "/viewer") && !strings.HasPrefix(room, "/lensvet") {
			ours = append(ours, p)
		}
	}
	set := token.NewFileSet()
	from := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	surfaces := map[string]surface{}
	for _, p := range ours {
		compiled, err := from.Import(p.ImportPath)
		if err != nil {
			t.Fatalf("cannot import %s: %v", p.ImportPath, err)
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			files = append(files, parseFile(t, set, filepath.Join(p.Dir, name), nil))
		}
		surfaces[p.ImportPath] = surfaceOf(t, set, compiled, files)
	}
	return surfaces
}

func parseFile(t *testing.T, set *token.FileSet, name string, src any) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// surfaceOf takes the types from what the compiler saw, and the documentation from the source.
func surfaceOf(t *testing.T, set *token.FileSet, pkg *types.Package, files []*ast.File) surface {
	t.Helper()
	s := surface{}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			s.add(obj)
		}
	}
	docs, err := doc.NewFromFiles(set, files, pkg.Path())
	if err != nil {
		t.Fatal(err)
	}
	s.document(docs)
	return s
}

// spell writes packages with their whole path.
func spell(p *types.Package) string { return p.Path() }

func (s surface) add(obj types.Object) {
	text := types.ObjectString(obj, spell)
	switch obj := obj.(type) {
	case *types.Const:
		s["const "+obj.Name()] = text + " = " + obj.Val().ExactString()
	case *types.Var:
		s["var "+obj.Name()] = text
	case *types.Func:
		s["func "+obj.Name()] = text
	case *types.TypeName:
		s.addType(obj)
	}
}

// addType writes a type without what is not exported, which may differ, save for what a user notices of it: whether
// values can be compared, and whether somebody else can write one.
func (s surface) addType(obj *types.TypeName) {
	name := "type " + obj.Name()
	if alias, ok := obj.Type().(*types.Alias); ok {
		s[name] = "an alias of " + types.TypeString(types.Unalias(alias), spell)
	} else {
		s[name] = "a type"
	}
	if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
		for p := range named.TypeParams().TypeParams() {
			s[name] += " of " + p.String() + " " + types.TypeString(p.Constraint(), spell)
		}
	}
	switch under := obj.Type().Underlying().(type) {
	case *types.Struct:
		s[name] += fmt.Sprintf(", a struct, comparable: %t, all exported: %t", types.Comparable(under), allExported(under))
		for field := range under.Fields() {
			if field.Exported() {
				s["field "+obj.Name()+"."+field.Name()] = types.ObjectString(field, spell)
			}
		}
	case *types.Interface:
		for m := range under.Methods() {
			s["method "+obj.Name()+" "+m.Name()] = types.ObjectString(m, spell)
		}
		s[name] += ", " + types.TypeString(under, spell)
	default:
		s[name] += ", " + types.TypeString(under, spell)
	}
	s.addMethods(obj)
}

func allExported(under *types.Struct) bool {
	for field := range under.Fields() {
		if !field.Exported() {
			return false
		}
	}
	return true
}

func (s surface) addMethods(obj *types.TypeName) {
	if types.IsInterface(obj.Type()) {
		return
	}
	values := types.NewMethodSet(obj.Type())
	for m := range types.NewMethodSet(types.NewPointer(obj.Type())).Methods() {
		f := m.Obj()
		if !f.Exported() {
			continue
		}
		receiver := "(*" + obj.Name() + ")"
		if values.Lookup(f.Pkg(), f.Name()) != nil {
			receiver = "(" + obj.Name() + ")"
		}
		s["method "+receiver+" "+f.Name()] = types.TypeString(f.Type(), spell)
	}
}

func (s surface) document(p *doc.Package) {
	say := func(name, text string) { s["doc of "+name] = text }
	say("the package", p.Doc)
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, n := range v.Names {
				if token.IsExported(n) {
					say(n, v.Doc+commentsIn(v.Decl, n))
				}
			}
		}
	}
	funcs := func(of string, list []*doc.Func) {
		for _, f := range list {
			if token.IsExported(f.Name) {
				say(of+f.Name, f.Doc)
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, t := range p.Types {
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
		if token.IsExported(t.Name) {
			say(t.Name, t.Doc)
			s.documentFields(t)
		}
	}
}

// commentsIn gives the comments at one name of a group of constants or variables.
func commentsIn(decl *ast.GenDecl, name string) (text string) {
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name }) {
			text += v.Doc.Text() + v.Comment.Text()
		}
	}
	return text
}

// documentFields has the comments at exported fields and at the methods of interfaces.
func (s surface) documentFields(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok || ts.Name.Name != t.Name {
			continue
		}
		var list *ast.FieldList
		switch typ := ts.Type.(type) {
		case *ast.StructType:
			list = typ.Fields
		case *ast.InterfaceType:
			list = typ.Methods
		default:
			continue
		}
		for _, f := range list.List {
			for _, n := range f.Names {
				if n.IsExported() {
					s["doc of "+t.Name+"."+n.Name] = f.Doc.Text() + f.Comment.Text()
				}
			}
		}
	}
}

// TestParitySeesDrift plants differences between a package and its twin, and sees each found.
func TestParitySeesDrift(t *testing.T) {
	const base = `// Package p does this.
package p

// Limit is a limit. Default: 7.
const Limit = 7

// These are kinds.
const (
	A Kind = iota // the first
	B
)

// Kind is one.
type Kind uint8

// Wait is how long. The zero value means a second.
var Wait Duration

// Duration is a number of seconds.
type Duration int

// T is a thing.
type T struct {
	// N is a number.
	N int
	hidden
}

type hidden struct{}

// Do does.
func (t T) Do(n int) error { return nil }

// Pair is of two.
type Pair[K comparable] struct{ Key K }

// Set sets.
func (t *T) Set(n int) {}

// Doer does.
type Doer interface {
	Do(n int) error
}

// Alias is another name.
type Alias = T

// New makes a T. A nil f is fine.
func New(f func(string) bool) *T { return nil }
`
	before := surfaceOfSource(t, base)
	if d := drift(before, surfaceOfSource(t, base)); d != nil {
		t.Fatalf("a package differs from itself: %q", d)
	}
	for name, change := range map[string][2]string{
		"a constant":            {"Limit = 7", "Limit = 8"},
		"a constant's type":     {"const Limit = 7", "const Limit int = 7"},
		"a documented default":  {"Default: 7", "Default: 8"},
		"one of a list":         {"\tA Kind = iota // the first\n\tB", "\tA Kind = iota + 1 // the first\n\tB"},
		"a comment in a list":   {"// the first", "// another"},
		"a kind of type":        {"type Kind uint8", "type Kind uint16"},
		"a variable":            {"Wait Duration", "Wait int"},
		"a field's type":        {"N int", "N int64"},
		"a field's doc":         {"N is a number", "N is a count"},
		"a field's name":        {"N int", "M int"},
		"a method's result":     {"Do(n int) error { return nil }", "Do(n int) any { return nil }"},
		"a receiver":            {"func (t T) Do", "func (t *T) Do"},
		"no method":             {"func (t *T) Set(n int) {}", ""},
		"a promoted method":     {"type hidden struct{}", "type hidden struct{}\nfunc (hidden) More() {}"},
		"what can be compared":  {"type hidden struct{}", "type hidden struct{ f []int }"},
		"no unexported field":   {"\thidden\n", ""},
		"an interface's method": {"\tDo(n int) error", "\tDo(n int64) error"},
		"an interface's secret": {"\tDo(n int) error", "\tDo(n int) error\n\tsecret()"},
		"an alias":              {"Alias = T", "Alias = Kind"},
		"an alias no longer":    {"type Alias = T", "type Alias T"},
		"a type parameter":      {"K comparable", "K ~string"},
		"a signature":           {"f func(string) bool", "f func(string, int) bool"},
		"variadic":              {"f func(string) bool", "f ...func(string) bool"},
		"a function's doc":      {"A nil f is fine", "A nil f panics"},
		"no function":           {"func New(f func(string) bool) *T { return nil }", ""},
		"another function":      {"type hidden struct{}", "type hidden struct{}\nfunc More() {}"},
		"the package's doc":     {"Package p does this", "Package p does that"},
		"a type's doc":          {"T is a thing", "T is something"},
		"a variable's doc":      {"means a second", "means for ever"},
	} {
		if !strings.Contains(base, change[0]) {
			t.Errorf("%s: %q is not in the source", name, change[0])
			continue
		}
		after := surfaceOfSource(t, strings.Replace(base, change[0], change[1], 1))
		if len(drift(before, after)) == 0 || len(drift(after, before)) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
	for name, change := range map[string][2]string{
		"what is not exported": {"type hidden struct{}", "type hidden struct{ n int }\n\nfunc more() {}"},
		"a body":               {"*T { return nil }", "*T { return &T{} }"},
	} {
		if d := drift(before, surfaceOfSource(t, strings.Replace(base, change[0], change[1], 1))); d != nil {
			t.Errorf("%s is taken for drift: %q", name, d)
		}
	}
}

func surfaceOfSource(t *testing.T, src string) surface {
	t.Helper()
	set := token.NewFileSet()
	file := parseFile(t, set, "p.go", src)
	pkg, err := new(types.Config).Check("p", set, []*ast.File{file}, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return surfaceOf(t, set, pkg, []*ast.File{file})
}

// TestTwins: what a file's name says of the builds that it is in, its first line says too.
func TestTwins(t *testing.T) {
	seen := 0
	for _, p := range listHouse(t, "") {
		dir := filepath.Join(".", filepath.FromSlash(p.room()))
		for _, name := range goFiles(t, dir) {
			on, off := strings.HasSuffix(name, "_on.go"), strings.HasSuffix(name, "_off.go")
			if !on && !off {
				continue
			}
			seen++
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(src), "\n")
			expr, err := constraint.Parse(line)
			if err != nil {
				t.Errorf("%s: its first line is no constraint: %q", name, line)
				continue
			}
			if expr.Eval(func(tag string) bool { return tag == "lens_off" }) != off {
				t.Errorf("%s is built in the other mode: %s", name, line)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d files; the scanner is broken", seen)
	}
}
