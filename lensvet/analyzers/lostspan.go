package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
)

// LostSpan finds spans that are started and, on some way through the function, never ended.
var LostSpan = &analysis.Analyzer{
	Name: "lostspan",
	Doc: `find spans that are not ended on every path

A span is exported when it ends. One that never does is missing from its trace, and stays in memory until shutdown. Defer End or
EndErr where the span is started. The check is silent once the span is returned, stored or given to a function.`,
	URL:      page + "lostspan",
	Run:      runLostSpan,
	Requires: []*analysis.Analyzer{units, knowing},
}

func runLostSpan(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for s := range u.starts(pass.ResultOf[knowing].(*knowledge)) {
		switch v := u.local(s); {
		case s.stmt == nil && s.call.ParentEdgeKind() == edge.ExprStmt_X:
			u.reportf(pass, s.call.Node(), "nothing takes the span that %s starts: it cannot be ended", s.what)
		case s.span != nil && s.span.Name == "_":
			u.report(pass, analysis.Diagnostic{
				Pos: s.span.Pos(), End: s.span.End(),
				Message:        "the span that " + s.what + " starts is thrown away: it cannot be ended",
				SuggestedFixes: u.keep(s),
			})
		case v != nil:
			u.lost(pass, s, v)
		}
	}
	return nil, nil
}

// lost reports a span in a variable that some path does not end.
func (u *unit) lost(pass *analysis.Pass, s start, v *types.Var) {
	ends := 0
	for use := range u.uses(s.fn, v) {
		switch {
		case use.kind == useEscapes, use.kind == useEnds && use.nested, use.kind == useSet && use.nested:
			return
		case use.kind == useEnds:
			ends++
		}
	}
	graph := u.graph(s.fn)
	if graph == nil {
		return
	}
	// A variable from further out is often set and ended under two conditions that agree; that it is never ended is sure.
	if u.info.Defs[s.span] == nil && ends > 0 {
		return
	}
	search := leak{u: u, fn: s.fn, v: v, stmt: s.stmt, seen: map[state]bool{}}
	node := search.find(graph)
	if node == nil {
		return
	}
	d := analysis.Diagnostic{Pos: s.span.Pos(), End: s.span.End()}
	line := pass.Fset.Position(node.Pos()).Line
	switch {
	case ends == 0:
		d.Message = "the span that " + s.what + " starts is never ended"
		d.SuggestedFixes = u.deferEnd(s, v)
	case node == s.stmt:
		d.Message = "the span that " + s.what + " starts is not ended on every path: the next round of the loop begins without it"
	default:
		d.Message = "the span that " + s.what + " starts is not ended on every path"
		d.Related = []analysis.RelatedInformation{{Pos: node.Pos(), Message: "this is reached without an End"}}
		if ret, ok := node.(*ast.ReturnStmt); ok && ret.End() > ret.Pos() {
			d.Message += ": the return on line " + itoa(line) + " is reached without an End"
		}
	}
	u.report(pass, d)
}

// leak looks for a path on which a span is not ended.
type leak struct {
	u    *unit
	fn   inspector.Cursor
	v    *types.Var
	stmt ast.Node // that starts the span
	uses []use
	seen map[state]bool
}

// state is a block with the conditions that are known to hold on the way to it.
type state struct {
	block *cfg.Block
	known string
}

// manyStates is where the search gives up: no finding rather than a wrong or a slow one.
const manyStates = 4000

// find gives where the path ends: a return, or the statement that sets the variable again.
func (l *leak) find(graph *cfg.CFG) ast.Node {
	for use := range l.u.uses(l.fn, l.v) {
		if use.kind == useEnds || use.kind == useSet {
			l.uses = append(l.uses, use)
		}
	}
	for _, b := range graph.Blocks {
		for i, n := range b.Nodes {
			if n == l.stmt {
				return l.walk(b, b.Nodes[i+1:], "")
			}
		}
	}
	return nil
}

// walk follows a block from some node on.
func (l *leak) walk(b *cfg.Block, nodes []ast.Node, known string) ast.Node {
	for _, n := range nodes {
		if n == l.stmt {
			return n
		}
		for _, use := range l.uses {
			if within(use.at.Node(), n) {
				if use.kind == useEnds {
					return nil
				}
				return n
			}
		}
	}
	if ret := b.Return(); ret != nil {
		return ret
	}
	cond := condition(b)
	for i, next := range b.Succs {
		known, possible := known, true
		if cond != nil {
			known, possible = l.assume(known, cond, i == 0)
		}
		at := state{next, known}
		if !possible || l.seen[at] || len(l.seen) > manyStates {
			continue
		}
		l.seen[at] = true
		if found := l.walk(next, next.Nodes, known); found != nil {
			return found
		}
	}
	return nil
}

// assume adds to what is known that a condition has a value, and reports whether that can be: two conditions on one
// variable that is set once agree, and a span that does not record need not be ended.
func (l *leak) assume(known string, cond ast.Expr, value bool) (string, bool) {
	possible := true
	var note func(e ast.Expr, value bool)
	note = func(e ast.Expr, value bool) {
		switch e := ast.Unparen(e).(type) {
		case *ast.UnaryExpr:
			if e.Op == token.NOT {
				note(e.X, !value)
			}
			return
		case *ast.BinaryExpr:
			if e.Op == token.LAND && value || e.Op == token.LOR && !value {
				note(e.X, value)
				note(e.Y, value)
				return
			}
		case *ast.CallExpr:
			if !value && l.u.rootVar(e) == l.v && l.u.Call(e).Func.Name == "Recording" {
				possible = false
			}
			return
		}
		key, value := l.u.condition(e, value)
		if key == "" {
			return
		}
		if strings.Contains(known, key+mark(!value)) {
			possible = false
		} else if !strings.Contains(known, key+mark(value)) {
			known += key + mark(value)
		}
	}
	note(cond, value)
	return known, possible
}

func mark(value bool) string {
	if value {
		return "=1;"
	}
	return "=0;"
}

// condition gives a name to a condition on a variable that is set once: the variable, or its comparison with nil.
func (u *unit) condition(e ast.Expr, value bool) (string, bool) {
	if cmp, ok := ast.Unparen(e).(*ast.BinaryExpr); ok {
		if cmp.Op != token.EQL && cmp.Op != token.NEQ || !u.info.Types[cmp.Y].IsNil() {
			return "", false
		}
		e, value = cmp.X, value == (cmp.Op == token.EQL)
	}
	v := u.Var(e)
	if v == nil || v.Kind() == types.PackageVar {
		return "", false
	}
	exprs, all := u.Settings(v)
	once := all && len(exprs) == 1 && v.Kind() == types.LocalVar
	if !once && !(v.Kind() == types.ParamVar && all && len(exprs) == 0) {
		return "", false
	}
	return ";" + v.Name() + "@" + itoa(int(v.Pos())), value
}

// rootVar gives the variable at the beginning of a chain of calls on a span.
func (u *unit) rootVar(call *ast.CallExpr) *types.Var {
	for {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		switch x := ast.Unparen(sel.X).(type) {
		case *ast.Ident:
			return u.Var(x)
		case *ast.CallExpr:
			if u.Call(x).Func.Recv != "Span" {
				return nil
			}
			call = x
		default:
			return nil
		}
	}
}
