package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
)

// leak looks for a path on which a span is not ended.
type leak struct {
	u     *unit
	v     *types.Var
	stmt  ast.Node // that starts the span
	uses  []use    // that end the span, or set the variable
	sets  map[*types.Var][]inspector.Cursor
	loose map[*types.Var]bool // variables that may be set behind the function's back
	seen  map[state]bool
}

// state is a block with the conditions that are known to hold on the way to it.
type state struct {
	block *cfg.Block
	known string
}

// manyStates is where the search gives up: no finding rather than a wrong or a slow one.
const manyStates = 4000

func newLeak(u *unit, s start, v *types.Var) *leak {
	l := &leak{
		u: u, v: v, stmt: s.stmt,
		sets: map[*types.Var][]inspector.Cursor{}, loose: map[*types.Var]bool{}, seen: map[state]bool{},
	}
	for use := range u.uses(s.fn, v) {
		if use.kind == useEnds || use.kind == useSet {
			l.uses = append(l.uses, use)
		}
	}
	for at := range s.fn.Preorder((*ast.Ident)(nil)) {
		l.noteSet(at, s.fn)
	}
	return l
}

// noteSet notes a place where a variable gets a value.
func (l *leak) noteSet(at, fn inspector.Cursor) {
	v, ok := l.u.info.ObjectOf(at.Node().(*ast.Ident)).(*types.Var)
	if !ok {
		return
	}
	switch at.ParentEdgeKind() {
	case edge.AssignStmt_Lhs, edge.IncDecStmt_X, edge.RangeStmt_Key, edge.RangeStmt_Value, edge.ValueSpec_Names:
		l.sets[v] = append(l.sets[v], at)
		if inner, _ := function(at); inner != fn {
			l.loose[v] = true
		}
	case edge.UnaryExpr_X:
		if at.Parent().Node().(*ast.UnaryExpr).Op == token.AND && !l.u.endsErr(at.Parent()) {
			l.loose[v] = true
		}
	}
}

// endsErr reports whether an address is given to EndErr, which reads only.
func (u *unit) endsErr(addr inspector.Cursor) bool {
	return addr.ParentEdgeKind() == edge.CallExpr_Args && isEnd(u.Call(addr.Parent().Node().(*ast.CallExpr)).Func)
}

// find gives where the path ends: a return, or the statement that sets the variable again.
func (l *leak) find(graph *cfg.CFG) ast.Node {
	block, next := locate(graph, l.stmt)
	if block == nil {
		return nil
	}
	return l.walk(block, block.Nodes[next:], "")
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
		known = l.forget(known, n)
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

// forget drops what is known of the variables that a node sets.
func (l *leak) forget(known string, n ast.Node) string {
	if known == "" {
		return known
	}
	for v, sets := range l.sets {
		for _, at := range sets {
			if within(at.Node(), n) {
				for _, value := range []bool{false, true} {
					known = strings.ReplaceAll(known, fact(v, value), "")
				}
			}
		}
	}
	return known
}

// fact writes down that a variable is true, or is nil, or is not.
func fact(v *types.Var, value bool) string {
	if value {
		return "<" + v.Name() + "@" + itoa(int(v.Pos())) + ">"
	}
	return "<!" + v.Name() + "@" + itoa(int(v.Pos())) + ">"
}

// assume adds to what is known that a condition has a value, and reports whether that can be: two conditions on one
// variable agree until it is set, and a span that does not record need not be ended.
func (l *leak) assume(known string, cond ast.Expr, value bool) (string, bool) {
	possible := true
	parts(cond, value, func(part ast.Expr, value bool) {
		if call, ok := part.(*ast.CallExpr); ok {
			if !value && l.u.rootVar(call) == l.v && l.u.Call(call).Func.Name == "Recording" {
				possible = false
			}
			return
		}
		v, value := l.condition(part, value)
		if v == nil {
			return
		}
		if strings.Contains(known, fact(v, !value)) {
			possible = false
		} else if !strings.Contains(known, fact(v, value)) {
			known += fact(v, value)
		}
	})
	return known, possible
}

// parts yields what must hold of the parts of a condition when it has a value.
func parts(e ast.Expr, value bool, yield func(part ast.Expr, value bool)) {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			parts(e.X, !value, yield)
		}
	case *ast.BinaryExpr:
		switch {
		case e.Op == token.LAND && value, e.Op == token.LOR && !value:
			parts(e.X, value, yield)
			parts(e.Y, value, yield)
		case e.Op == token.EQL, e.Op == token.NEQ:
			yield(e, value)
		}
	default:
		yield(e, value)
	}
}

// condition gives the variable that a condition is about, true or nil when it has the value; no variable for others.
func (l *leak) condition(e ast.Expr, value bool) (*types.Var, bool) {
	if cmp, ok := e.(*ast.BinaryExpr); ok {
		if !l.u.info.Types[cmp.Y].IsNil() {
			return nil, false
		}
		e, value = cmp.X, value == (cmp.Op == token.EQL)
	}
	v := l.u.Var(e)
	if v == nil || v.Kind() == types.PackageVar || l.loose[v] {
		return nil, false
	}
	return v, value
}
