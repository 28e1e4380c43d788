package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"

	"github.com/lensgo/lens/lensvet/internal/directive"
	"github.com/lensgo/lens/lensvet/internal/surface"
)

// units looks through a package once for all checks.
var units = &analysis.Analyzer{
	Name:       "lensunit",
	Doc:        "find what a package does with lens",
	Run:        newUnit,
	ResultType: reflect.TypeFor[*unit](),
	Requires:   []*analysis.Analyzer{inspect.Analyzer, ctrlflow.Analyzer},
}

// unit is a package under check. It is nil for one that cannot reach lens, and for lens itself, which is what the rules are
// about.
type unit struct {
	*surface.Source
	info  *types.Info
	root  inspector.Cursor
	cfgs  *ctrlflow.CFGs
	calls []site // of lens, in the files that are checked

	funcs map[*types.Func]*ast.FuncDecl
	skip  map[*ast.File]bool

	silent directive.Set
	line   func(token.Pos) int
}

// site is a call of lens.
type site struct {
	surface.Call
	at inspector.Cursor
}

func newUnit(pass *analysis.Pass) (any, error) {
	if pass.Pkg.Path() == surface.Path || strings.HasPrefix(pass.Pkg.Path(), surface.Path+" ") || !reaches(pass.Pkg) {
		return (*unit)(nil), nil
	}
	u := &unit{
		Source: surface.NewSource(pass.TypesInfo, pass.Files),
		info:   pass.TypesInfo,
		root:   pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root(),
		cfgs:   pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs),
		funcs:  map[*types.Func]*ast.FuncDecl{},
		skip:   map[*ast.File]bool{},
		silent: directive.Read(pass.Fset, pass.Files),
		line:   func(pos token.Pos) int { return pass.Fset.Position(pos).Line },
	}
	for _, file := range pass.Files {
		// A test does on purpose what a check is there to find: it leaves spans open, ends them twice, uses odd names.
		// It is also its own guard: a span that does not end never reaches the recorder.
		u.skip[file] = ast.IsGenerated(file) || strings.HasSuffix(pass.Fset.File(file.FileStart).Name(), "_test.go")
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if fn, ok := u.info.Defs[decl.Name].(*types.Func); ok {
					u.funcs[fn] = decl
				}
			}
		}
	}
	for at := range u.each((*ast.CallExpr)(nil)) {
		call := u.Call(at.Node().(*ast.CallExpr))
		if call.Func != (surface.Func{}) {
			u.calls = append(u.calls, site{Call: call, at: at})
		}
	}
	return u, nil
}

// reaches reports whether lens is among what a package imports, directly or not: a handle may come from anywhere.
func reaches(pkg *types.Package) bool {
	seen := map[*types.Package]bool{}
	var look func(p *types.Package) bool
	look = func(p *types.Package) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		for _, imp := range p.Imports() {
			if imp.Path() == surface.Path || look(imp) {
				return true
			}
		}
		return false
	}
	return look(pkg)
}

// unitOf gives the unit of a pass; nil when there is nothing to check.
func unitOf(pass *analysis.Pass) *unit { return pass.ResultOf[units].(*unit) }

// each yields the nodes of the given types in the files that are checked.
func (u *unit) each(kinds ...ast.Node) func(yield func(inspector.Cursor) bool) {
	return func(yield func(inspector.Cursor) bool) {
		for file := range u.root.Children() {
			if u.skip[file.Node().(*ast.File)] {
				continue
			}
			for at := range file.Preorder(kinds...) {
				if !yield(at) {
					return
				}
			}
		}
	}
}

// function gives the innermost function around a node; not valid for one outside of functions.
func function(at inspector.Cursor) (fn inspector.Cursor, ok bool) {
	for fn := range at.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if fn != at {
			return fn, true
		}
	}
	return inspector.Cursor{}, false
}

// graph gives the control flow of a function; nil when it has no body.
func (u *unit) graph(fn inspector.Cursor) *cfg.CFG {
	switch fn := fn.Node().(type) {
	case *ast.FuncDecl:
		if fn.Body == nil {
			return nil
		}
		return u.cfgs.FuncDecl(fn)
	case *ast.FuncLit:
		return u.cfgs.FuncLit(fn)
	}
	return nil
}

// body gives the body of a function.
func body(fn inspector.Cursor) *ast.BlockStmt {
	switch fn := fn.Node().(type) {
	case *ast.FuncDecl:
		return fn.Body
	case *ast.FuncLit:
		return fn.Body
	}
	return nil
}

// signature gives the type of a function.
func (u *unit) signature(fn inspector.Cursor) *types.Signature {
	var t types.Type
	switch fn := fn.Node().(type) {
	case *ast.FuncDecl:
		t = u.info.ObjectOf(fn.Name).Type()
	case *ast.FuncLit:
		t = u.info.TypeOf(fn)
	}
	sig, _ := t.(*types.Signature)
	return sig
}

// within reports whether a is, or is below, b.
func within(a, b ast.Node) bool { return b.Pos() <= a.Pos() && a.End() <= b.End() }
