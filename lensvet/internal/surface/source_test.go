package surface_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// source is a package in which every variable called v... is asked about.
const source = `package p

type t struct{ name string }

func f() (string, error) { return "", nil }

var once = "once"
var alias = once
var twice = "a"
var grown = "a"
var pointed = "a"
var zero string
var other, failed = f()
var later string
var fields = t{name: "literal"}
var list = []string{"x"}
var known, found = map[int]string{}[0]

func init() {
	twice = "b"
	grown += "b"
	later = "now"
	set(&pointed)
	for _, element := range list {
		_ = element
	}
	(&fields).name = "assigned"
}

func set(param *string) { *param = "" }
`

func TestSource(t *testing.T) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	s := surface.NewSource(info, []*ast.File{file})
	want := map[string]struct {
		value    string // that the variable stands for, if one does
		settings string
		all      bool
	}{
		"once":    {`"once"`, `"once"`, true},
		"alias":   {`"once"`, `once`, true},
		"twice":   {"", `"a" "b"`, true},
		"grown":   {"", `"a"`, false},
		"pointed": {"", `"a"`, false},
		"zero":    {"", "", true},
		"other":   {"", "", false},
		"later":   {"", `"now"`, true},
		"param":   {"", "", true},
		"name":    {"", `"literal" "assigned"`, true},
		"known":   {`map[int]string{}[0]`, `map[int]string{}[0]`, true},
		"found":   {"", "", false},
		"list":    {`[]string{…}`, `[]string{…}`, true},
	}
	for id, obj := range info.Defs {
		v, ok := obj.(*types.Var)
		if !ok {
			continue
		}
		test, ok := want[v.Name()]
		if !ok {
			continue
		}
		delete(want, v.Name())
		exprs, all := s.Settings(v)
		var texts []string
		for _, e := range exprs {
			texts = append(texts, types.ExprString(e))
		}
		if got := strings.Join(texts, " "); got != test.settings || all != test.all {
			t.Errorf("%s is set to %s, all of it: %t; want %s, %t", v.Name(), got, all, test.settings, test.all)
		}
		if v.IsField() {
			continue
		}
		value := ""
		if e := s.Value(id); e != nil {
			value = types.ExprString(e)
		}
		if value != test.value {
			t.Errorf("%s stands for %q, want %q", v.Name(), value, test.value)
		}
	}
	for name := range want {
		t.Errorf("%s is not in the source", name)
	}
}

// TestSource_element gives an element of what a loop goes over, of which there is no text.
func TestSource_element(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	s := surface.NewSource(info, []*ast.File{file})
	for id, obj := range info.Defs {
		if v, ok := obj.(*types.Var); ok && v.Name() == "element" {
			index, ok := s.Value(id).(*ast.IndexExpr)
			if !ok || index.Index != nil || types.ExprString(index.X) != "list" {
				t.Errorf("an element is %#v, want one of list", s.Value(id))
			}
			return
		}
	}
	t.Error("there is no element")
}
