package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// LostCtx finds spans whose context is thrown away while the old one goes on.
var LostCtx = &analysis.Analyzer{
	Name: "lostctx",
	Doc: `find spans whose context is thrown away while the old one is still passed on

The context that Start returns carries the span. With _, span := g.Start(ctx, ...) everything that is called with ctx
afterwards becomes a sibling of the span and not its child.`,
	URL:      page + "lostctx",
	Run:      runLostCtx,
	Requires: []*analysis.Analyzer{units, knowing},
}

func runLostCtx(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for s := range u.starts(pass.ResultOf[knowing].(*knowledge)) {
		blank, ok := s.ctx.(*ast.Ident)
		v := u.local(s)
		if !ok || blank.Name != "_" || v == nil {
			continue
		}
		old := u.contextOf(s)
		if old == nil || old.Kind() == types.PackageVar {
			continue
		}
		if used, always := u.goesOn(s, v, old); used != nil {
			d := analysis.Diagnostic{
				Pos: blank.Pos(), End: blank.End(),
				Message: "the context of the span is thrown away, and " + old.Name() + " is passed on at line " +
					itoa(pass.Fset.Position(used.Pos()).Line) + " while the span is open: what is started there is not below it",
				Related: []analysis.RelatedInformation{{Pos: used.Pos(), End: used.End(), Message: "passed on here"}},
			}
			if assign, ok := s.stmt.(*ast.AssignStmt); ok && always && assign.Tok == token.DEFINE && u.scoped(s, old, used) && !u.kept(s, old) {
				d.SuggestedFixes = []analysis.SuggestedFix{{
					Message:   "Keep it in " + old.Name(),
					TextEdits: []analysis.TextEdit{{Pos: blank.Pos(), End: blank.End(), NewText: []byte(old.Name())}},
				}}
			}
			u.report(pass, d)
		}
	}
	return nil, nil
}

// contextOf gives the variable with the context that a span is started in.
func (u *unit) contextOf(s start) *types.Var {
	for _, arg := range u.Call(s.call.Node().(*ast.CallExpr)).Args {
		if t := u.info.TypeOf(arg); t != nil && isContext(t) {
			return u.Var(arg)
		}
	}
	return nil
}

// scoped reports whether := gives the context to what is used: to the variable itself, or to one of its name in the rest
// of the same block.
func (u *unit) scoped(s start, old *types.Var, used *ast.Ident) bool {
	at, ok := s.inList()
	return ok && types.Identical(old.Type(), u.info.TypeOf(s.call.Node().(ast.Expr)).(*types.Tuple).At(0).Type()) && within(used, at.Parent().Node())
}

// kept reports whether a context is returned or stored below a start: then it lives on when the span has ended.
func (u *unit) kept(s start, old *types.Var) bool {
	if old.Kind() == types.ResultVar {
		return true
	}
	for at := range s.fn.Preorder((*ast.Ident)(nil)) {
		if u.info.Uses[at.Node().(*ast.Ident)] != old || at.Node().Pos() < s.stmt.End() {
			continue
		}
		switch at.ParentEdgeKind() {
		case edge.CallExpr_Args, edge.SelectorExpr_X, edge.AssignStmt_Lhs:
		default:
			return true
		}
	}
	return false
}

// goesOn gives a place where a context is passed on while the span may be open, and whether the span ends with the
// function only.
func (u *unit) goesOn(s start, v, old *types.Var) (used *ast.Ident, always bool) {
	var ends, sets []use
	always = true
	for use := range u.uses(s.fn, v) {
		switch {
		case use.kind == useEscapes:
			return nil, false // its owner knows more
		case use.kind == useEnds && !use.nested && !use.deferred():
			ends, always = append(ends, use), false
		}
	}
	passed := map[inspector.Cursor]bool{}
	for at := range s.fn.Preorder((*ast.Ident)(nil)) {
		if u.info.Uses[at.Node().(*ast.Ident)] != old {
			continue
		}
		if at.ParentEdgeKind() == edge.AssignStmt_Lhs {
			sets = append(sets, use{at: at})
		} else if at.Node().Pos() > s.stmt.End() && u.passes(at) && runs(at, s.fn) {
			passed[at] = true // what is above comes in the next round of a loop, beside the span in any case
		}
	}
	graph := u.graph(s.fn)
	if graph == nil || len(passed) == 0 {
		return nil, false
	}
	block, i := locate(graph, s.stmt)
	if block == nil {
		return nil, false
	}
	return first(block, i, passed, ends, sets), always
}

// first follows every way from a place until the span ends or the variable is set, and gives the first name passed on.
func first(block *cfg.Block, i int, passed map[inspector.Cursor]bool, ends, sets []use) (found *ast.Ident) {
	seen := map[*cfg.Block]bool{}
	var walk func(b *cfg.Block, nodes []ast.Node)
	walk = func(b *cfg.Block, nodes []ast.Node) {
		for _, n := range nodes {
			for at := range passed {
				if id := at.Node().(*ast.Ident); within(id, n) && (found == nil || id.Pos() < found.Pos()) {
					found = id
				}
			}
			if anyWithin(ends, n) || anyWithin(sets, n) {
				return
			}
		}
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				walk(next, next.Nodes)
			}
		}
	}
	walk(block, block.Nodes[i:])
	return found
}

// runs reports whether a place is reached with the function itself: not in a function literal that is kept for later.
func runs(at, fn inspector.Cursor) bool {
	for {
		inner, ok := function(at)
		if !ok || inner == fn {
			return ok
		}
		if kind := inner.ParentEdgeKind(); kind != edge.CallExpr_Fun && kind != edge.CallExpr_Args {
			return false
		}
		at = inner
	}
}

// passes reports whether a context is given, at a place, to a function that may start spans in it.
func (u *unit) passes(at inspector.Cursor) bool {
	if at.ParentEdgeKind() != edge.CallExpr_Args {
		return false
	}
	call := at.Parent().Node().(*ast.CallExpr)
	fn := u.Callee(call)
	if fn == nil || fn.Pkg() == nil {
		return !u.info.Types[call.Fun].IsType()
	}
	if f := surface.Of(fn); f.Name != "" {
		return !slices.Contains([]string{"RefFrom", "Baggage", "Detach"}, f.Name)
	}
	return fn.Pkg().Path() != "context" || fn.Name() != "Cause" && fn.Name() != "AfterFunc"
}
