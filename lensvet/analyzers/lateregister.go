package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// LateRegister finds libraries that register themselves after the program has started.
var LateRegister = &analysis.Analyzer{
	Name: "lateregister",
	Doc: `find registrations outside of init functions and package variables

The spec of the user is checked against what is registered when it is set. A library that registers later finds its names
warned about as unknown, and what it did before is missing from the traces. Registries of one's own are left alone, and so is main
before it sets a spec.`,
	URL:      page + "lateregister",
	Run:      runLateRegister,
	Requires: []*analysis.Analyzer{units},
}

func runLateRegister(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for _, site := range u.calls {
		if site.Func.Name != "Register" && site.Func.Name != "MustRegister" || !u.onDefault(site) {
			continue
		}
		if !u.early(site.at, pass.Pkg, map[*types.Func]bool{}) {
			u.reportf(pass, site, "%s runs when the program is under way: call it from an init function, so that the user's spec can be checked against what it registers", types.ExprString(site.Fun))
		}
	}
	return nil, nil
}

// onDefault reports whether a registration is with the default registry.
func (u *unit) onDefault(site site) bool {
	switch site.Func.Recv {
	case "":
		return true
	case "Registry":
		if site.Recv == nil {
			return false
		}
		call, ok := u.Value(site.Recv).(*ast.CallExpr)
		return ok && u.Call(call).Func == surface.Func{Name: "Default"}
	}
	return false
}

// early reports whether a place is reached before main, or before a spec is set.
func (u *unit) early(at inspector.Cursor, pkg *types.Package, seen map[*types.Func]bool) bool {
	fn, ok := function(at)
	if ok && u.beforeSpec(fn, at.Node().Pos()) {
		return true
	}
	for ok {
		if _, lit := fn.Node().(*ast.FuncLit); !lit {
			break
		}
		outer, inside := function(fn)
		if !inside && !called(fn) {
			return false // a package variable holds the function; who knows when it is called
		}
		fn, ok = outer, inside
	}
	if !ok {
		return true
	}
	decl := fn.Node().(*ast.FuncDecl)
	obj, isFunc := u.info.Defs[decl.Name].(*types.Func)
	switch {
	case !isFunc:
		return false
	case decl.Recv == nil && decl.Name.Name == "init":
		return true
	case decl.Recv == nil && decl.Name.Name == "main" && pkg.Name() == "main":
		before, _ := u.specs(fn, at.Node().Pos())
		return !before
	case obj.Exported() || seen[obj]:
		return seen[obj]
	}
	seen[obj] = true
	return u.calledEarly(obj, pkg, seen)
}

// called reports whether a function literal is called where it is written.
func called(lit inspector.Cursor) bool {
	for lit.ParentEdgeKind() == edge.ParenExpr_X {
		lit = lit.Parent()
	}
	return lit.ParentEdgeKind() == edge.CallExpr_Fun
}

// calledEarly reports whether a function of the package is called, and only from where that is early.
func (u *unit) calledEarly(fn *types.Func, pkg *types.Package, seen map[*types.Func]bool) bool {
	found := false
	for at := range u.each((*ast.Ident)(nil)) {
		if u.info.Uses[at.Node().(*ast.Ident)] != fn {
			continue
		}
		if found = true; at.ParentEdgeKind() == edge.SelectorExpr_Sel {
			at = at.Parent()
		}
		if at.ParentEdgeKind() != edge.CallExpr_Fun || !u.early(at, pkg, seen) {
			return false
		}
	}
	return found
}

// beforeSpec reports whether a function sets a spec, or sets telemetry up, below a place and not above it.
func (u *unit) beforeSpec(fn inspector.Cursor, pos token.Pos) bool {
	before, after := u.specs(fn, pos)
	return after && !before
}

// specs reports whether a function sets a spec, or sets telemetry up, above a place and below it.
func (u *unit) specs(fn inspector.Cursor, pos token.Pos) (before, after bool) {
	for at := range fn.Preorder((*ast.CallExpr)(nil)) {
		callee := u.Callee(at.Node().(*ast.CallExpr))
		if callee == nil || callee.Pkg() == nil {
			continue
		}
		switch f := surface.Of(callee); f.Name {
		case "SetSpec", "SetSpecIf", "Pin":
		default:
			if callee.Name() != "Setup" || !strings.HasPrefix(callee.Pkg().Path(), surface.Path+"/telemetry") {
				continue
			}
		}
		if at.Node().Pos() < pos {
			before = true
		} else {
			after = true
		}
	}
	return before, after
}
