package program

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Source that does not compile, or says something odd, is read as far as it goes, without a panic and without end.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.go")
	if err != nil || len(files) < 5 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		`package p; import "github.com/lensgo/lens"; var a, b = b, a; var g = lens.NewGroup(a)`,
		`package p; import "github.com/lensgo/lens"; func f(s string) *lens.Group { return f(s + "x") }; var g = f("")`,
		`package p; import "github.com/lensgo/lens"; func f(s string) *lens.Group { return g(s) }; func g(s string) *lens.Group { return f(s) }; var x = g("")`,
		`package p; import "github.com/lensgo/lens"; type t []t; var x t; func f() { x[0].Start() ; lens.Register() ; lens.NewGroup(); lens.NewGroup("a", "b").Start }`,
		`package p; import "fmt"; import "github.com/lensgo/lens"; var g = lens.NewGroup(fmt.Sprintf("%", 1) + fmt.Sprintf("%%%[2]s%-3d", "a") + fmt.Sprintf())`,
		`package p; import "github.com/lensgo/lens"; func init() { lens.MustRegister(lens.Library{Groups: append(append()), Presets: lens.Presets{}[""]}) }`,
		`package p; import "github.com/lensgo/lens"; type s struct { *lens.Group; *s }; var x s; func f() { x.Start(nil, ""); x.s.s.Enabled() }`,
	} {
		f.Add([]byte(text))
	}
	imports := newImports(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		p := readText(imports, text)
		for _, write := range []func(io.Writer) error{p.WriteText, p.WriteMarkdown, p.WriteJSON, p.Resolve("default,-a,x").WriteText} {
			if err := write(io.Discard); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// imports has what the compiler exported of packages that the source may import.
type imports struct {
	types.Importer
	fset *token.FileSet
}

func newImports(f *testing.F) imports {
	f.Helper()
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedExportFile | packages.NeedImports | packages.NeedDeps},
		"github.com/lensgo/lens", "github.com/lensgo/lens/lenshttp", "context", "fmt", "os", "maps")
	if err != nil {
		f.Fatal(err)
	}
	exported := map[string]string{}
	packages.Visit(found, nil, func(p *packages.Package) { exported[p.PkgPath] = p.ExportFile })
	fset := token.NewFileSet()
	return imports{fset: fset, Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exported[path])
	})}
}

// readText reads a program of one file.
func readText(imports imports, text []byte) *Program {
	file, _ := parser.ParseFile(imports.fset, "p.go", text, parser.ParseComments|parser.SkipObjectResolution)
	l := &loader{dir: "/", roots: map[string]bool{"p": true}}
	l.config.Fset = imports.fset
	if file != nil {
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{},
		}
		config := types.Config{Importer: imports, Error: func(error) {}}
		checked, _ := config.Check("p", imports.fset, []*ast.File{file}, info) //nolint:errcheck // what is wrong with it does not matter
		l.units = []*packages.Package{{PkgPath: "p", Types: checked, TypesInfo: info, Syntax: []*ast.File{file}, Fset: imports.fset}}
	}
	return newReader(l).program([]string{"p"})
}
