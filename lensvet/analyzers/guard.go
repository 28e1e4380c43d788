package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
)

// guards knows which places of a package are reached only while a group is on or a span records.
type guards struct {
	u      *unit
	k      *knowledge
	blocks map[inspector.Cursor]map[*cfg.Block]bool // by function: the blocks that are guarded
	entry  map[inspector.Cursor]bool                // by function: it is only called while guarded
	uses   map[*types.Func][]inspector.Cursor       // where functions of the package are named
}

func newGuards(u *unit, k *knowledge) *guards {
	g := &guards{
		u: u, k: k,
		blocks: map[inspector.Cursor]map[*cfg.Block]bool{},
		entry:  map[inspector.Cursor]bool{},
		uses:   map[*types.Func][]inspector.Cursor{},
	}
	for at := range u.each((*ast.Ident)(nil)) {
		if fn, ok := u.info.Uses[at.Node().(*ast.Ident)].(*types.Func); ok && u.funcs[fn.Origin()] != nil {
			g.uses[fn.Origin()] = append(g.uses[fn.Origin()], at)
		}
	}
	return g
}

// guarded reports whether a node is reached only while a group is on or a span records.
func (g *guards) guarded(at inspector.Cursor) bool {
	fn, ok := function(at)
	if !ok {
		return false
	}
	return g.besides(at, fn) || g.inBlock(at, fn)
}

// besides looks at conditions within one expression: a gate && the node.
func (g *guards) besides(at, fn inspector.Cursor) bool {
	for ; at != fn; at = at.Parent() {
		if at.ParentEdgeKind() != edge.BinaryExpr_Y {
			continue
		}
		e := at.Parent().Node().(*ast.BinaryExpr)
		if e.Op == token.LAND && g.on(e.X, true) || e.Op == token.LOR && g.on(e.X, false) {
			return true
		}
	}
	return false
}

func (g *guards) inBlock(at, fn inspector.Cursor) bool {
	graph := g.u.graph(fn)
	if graph == nil {
		return false
	}
	states := g.solve(fn, graph)
	for _, b := range graph.Blocks {
		for _, n := range b.Nodes {
			if n.Pos().IsValid() && within(at.Node(), n) {
				return states[b]
			}
		}
	}
	return false
}

// on reports whether a gate is open when a condition has the value.
func (g *guards) on(cond ast.Expr, value bool) bool {
	return entails(cond, value, func(part ast.Expr, value bool) bool { return value && g.k.gate(g.u, part) })
}

// solve finds the blocks of a function that are reached through an open gate on every way.
func (g *guards) solve(fn inspector.Cursor, graph *cfg.CFG) map[*cfg.Block]bool {
	if states, ok := g.blocks[fn]; ok {
		return states
	}
	states := map[*cfg.Block]bool{}
	for _, b := range graph.Blocks {
		states[b] = true // until a way is found that is not
	}
	states[graph.Blocks[0]] = g.enters(fn)
	for again := true; again; {
		again = false
		for _, b := range graph.Blocks {
			if !b.Live {
				continue
			}
			cond := condition(b)
			for i, next := range b.Succs {
				open := states[b] || cond != nil && g.on(cond, i == 0)
				if states[next] && !open {
					states[next], again = false, true
				}
			}
		}
	}
	g.blocks[fn] = states
	return states
}

// enters reports whether a function is called only while guarded. A literal is where it is written, or is given a span by
// somebody who may have asked; a function that the package keeps to itself is where it is called.
func (g *guards) enters(fn inspector.Cursor) bool {
	if open, ok := g.entry[fn]; ok {
		return open
	}
	g.entry[fn] = true // by a call of itself
	open := false
	switch node := fn.Node().(type) {
	case *ast.FuncLit:
		open = g.guarded(fn) || takesSpan(g.u.signature(fn))
	case *ast.FuncDecl:
		if obj, ok := g.u.info.Defs[node.Name].(*types.Func); ok && !obj.Exported() {
			open = g.called(obj)
		}
	}
	g.entry[fn] = open
	return open
}

func takesSpan(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if isValue(v.Type(), "Span") {
			return true
		}
	}
	return false
}

// called reports whether every place that names a function is a guarded call.
func (g *guards) called(fn *types.Func) bool {
	for _, at := range g.uses[fn] {
		callee := at
		if callee.ParentEdgeKind() == edge.SelectorExpr_Sel {
			callee = callee.Parent()
		}
		if callee.ParentEdgeKind() != edge.CallExpr_Fun || !g.guarded(callee.Parent()) {
			return false
		}
	}
	return len(g.uses[fn]) > 0
}
