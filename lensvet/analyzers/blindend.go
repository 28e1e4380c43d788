package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// BlindEnd finds spans that are ended inside a deferred function, where no panic is seen.
var BlindEnd = &analysis.Analyzer{
	Name: "blindend",
	Doc: `find spans that are ended inside a deferred function

End and EndErr recover a panic, record it and panic again; Go lets only a function that is deferred itself do so. Inside
defer func() { span.End() }() a panic goes past, and the span looks as if all had been well.`,
	URL:      page + "blindend",
	Run:      runBlindEnd,
	Requires: []*analysis.Analyzer{units},
}

func runBlindEnd(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for _, site := range u.calls {
		if site.Func.Recv != "Span" || site.Func.Name != "End" && site.Func.Name != "EndErr" || site.at.ParentEdgeKind() == edge.DeferStmt_Call {
			continue
		}
		lit, ok := function(site.at)
		if !ok || lit.ParentEdgeKind() != edge.CallExpr_Fun || lit.Parent().ParentEdgeKind() != edge.DeferStmt_Call || u.recovers(lit) {
			continue
		}
		stmt := lit.Parent().Parent()
		if v := u.rootVar(site.CallExpr); v != nil && u.settled(v, lit, stmt) {
			u.report(pass, analysis.Diagnostic{
				Pos: site.Pos(), End: site.End(),
				Message:        "inside a deferred function " + site.Func.Name + " sees no panic: defer " + v.Name() + "." + site.Func.Name + " directly",
				SuggestedFixes: u.direct(site, v, lit, stmt),
			})
		}
	}
	return nil, nil
}

// recovers reports whether a function literal looks after panics itself.
func (u *unit) recovers(lit inspector.Cursor) bool {
	for at := range lit.Preorder((*ast.CallExpr)(nil)) {
		if id, ok := ast.Unparen(at.Node().(*ast.CallExpr).Fun).(*ast.Ident); ok && u.info.Uses[id] == types.Universe.Lookup("recover") {
			return true
		}
	}
	return false
}

// settled reports whether a variable holds its span for good when the defer statement runs. Otherwise a function literal
// is the right thing: what is deferred directly takes the span that there is at that moment.
func (u *unit) settled(v *types.Var, lit, stmt inspector.Cursor) bool {
	fn, ok := function(stmt)
	if !ok || v.Kind() == types.PackageVar {
		return false
	}
	decl := fn.Node()
	if within(spot(v), lit.Node()) {
		return v.Kind() == types.ParamVar // an argument of the deferred function
	}
	if !within(spot(v), decl) || v.Pos() > stmt.Node().Pos() {
		return false
	}
	given := v.Kind() == types.ParamVar
	if _, all := u.Settings(v); !all {
		given = true
	}
	for use := range u.uses(fn, v) {
		if use.kind == useSet && (use.nested || use.at.Node().Pos() > stmt.Node().Pos() || looped(stmt, fn) != looped(use.at, fn)) {
			return false
		}
	}
	return given
}

// spot is the place where a variable is declared, as a node.
func spot(v *types.Var) ast.Node { return &ast.Ident{NamePos: v.Pos(), Name: v.Name()} }

// direct offers to defer the End itself. Where the literal does more before, that stays behind in it: deferred later, it
// runs first.
func (u *unit) direct(site site, v *types.Var, lit, stmt inspector.Cursor) []analysis.SuggestedFix {
	sel, ok := ast.Unparen(site.Fun).(*ast.SelectorExpr)
	list := lit.Node().(*ast.FuncLit).Body.List
	if !ok || !isIdent(sel.X) || !plain(site.CallExpr.Args) || within(spot(v), lit.Node()) || len(stmt.Node().(*ast.DeferStmt).Call.Args) > 0 {
		return nil
	}
	last, ok := list[len(list)-1].(*ast.ExprStmt)
	if !ok || last.X != site.CallExpr {
		return nil
	}
	end := v.Name() + "." + site.Func.Name + "("
	for i, arg := range site.CallExpr.Args {
		if i > 0 {
			end += ", "
		}
		end += types.ExprString(arg)
	}
	end += ")"
	message := "Defer " + end + " directly"
	if len(list) == 1 {
		call := stmt.Node().(*ast.DeferStmt).Call
		return []analysis.SuggestedFix{{Message: message, TextEdits: []analysis.TextEdit{
			{Pos: call.Pos(), End: call.End(), NewText: []byte(end)},
		}}}
	}
	for range lit.Preorder((*ast.ReturnStmt)(nil)) {
		return nil // it may not reach its end
	}
	return []analysis.SuggestedFix{{Message: message, TextEdits: []analysis.TextEdit{
		{Pos: stmt.Node().Pos(), End: stmt.Node().Pos(), NewText: []byte("defer " + end + "\n")},
		{Pos: list[len(list)-2].End(), End: last.End()},
	}}}
}

// plain reports whether arguments are names or addresses of names.
func plain(args []ast.Expr) bool {
	for _, arg := range args {
		if addr, ok := arg.(*ast.UnaryExpr); ok {
			arg = addr.X
		}
		if !isIdent(arg) {
			return false
		}
	}
	return true
}
