package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// EndTwice finds spans that one straight path ends twice.
var EndTwice = &analysis.Analyzer{
	Name: "endtwice",
	Doc: `find spans that are ended twice on one straight path

What comes after the first End is a no-op, so the second one says nothing: neither its error nor its time is recorded. A deferred
End beside an early one is left alone, since it is there for panics; a deferred EndErr beside one loses the error.`,
	URL:      page + "endtwice",
	Run:      runEndTwice,
	Requires: []*analysis.Analyzer{units},
}

func runEndTwice(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for fn, vars := range u.endings() {
		graph := u.graph(fn)
		if graph == nil {
			continue
		}
		for v := range vars {
			u.endTwice(pass, fn, graph, v)
		}
	}
	return nil, nil
}

// endings gives the functions that end spans, with the variables that hold them.
func (u *unit) endings() map[inspector.Cursor]map[*types.Var]bool {
	found := map[inspector.Cursor]map[*types.Var]bool{}
	for _, site := range u.calls {
		if !isEnd(site.Func) {
			continue
		}
		v, fn := u.rootVar(site.CallExpr), inspector.Cursor{}
		if v != nil {
			fn, _ = function(site.at)
		}
		if v == nil || !fn.Valid() || v.Kind() == types.PackageVar {
			continue
		}
		if found[fn] == nil {
			found[fn] = map[*types.Var]bool{}
		}
		found[fn][v] = true
	}
	return found
}

func isEnd(f surface.Func) bool {
	return f.Recv == "Span" && (f.Name == "End" || f.Name == "EndAt" || f.Name == "EndErr")
}

func (u *unit) endTwice(pass *analysis.Pass, fn inspector.Cursor, graph *cfg.CFG, v *types.Var) {
	var ends, sets []use
	for use := range u.uses(fn, v) {
		switch {
		case use.kind == useSet && use.nested:
			return // nobody knows when
		case use.kind == useSet:
			sets = append(sets, use)
		case use.kind == useEnds && !use.nested:
			ends = append(ends, use)
		}
	}
	if len(ends) < 2 {
		return
	}
	before := predecessors(graph)
	for _, first := range ends {
		if !first.deferred() && !first.statement() {
			continue
		}
		if second, ok := follow(graph, before, first, ends, sets, v); ok {
			u.twice(pass, first, second)
		}
	}
}

// twice reports a pair of which the second is on the straight path from the first.
func (u *unit) twice(pass *analysis.Pass, first, second use) {
	line := itoa(pass.Fset.Position(first.call.Node().Pos()).Line)
	d := analysis.Diagnostic{Pos: second.call.Node().Pos(), End: second.call.Node().End()}
	switch {
	case first.deferred() && !second.deferred():
		if first.method != "EndErr" {
			return
		}
		d.Message = "the span is ended here, before the EndErr that is deferred on line " + line + ": an error is not recorded"
	case !first.deferred() && second.deferred():
		d.Message = "the span has been ended on line " + line + ": a deferred End does nothing"
	case first.deferred():
		d.Message = "the end of the span is deferred already, on line " + line + ": that one does nothing"
	default:
		d.Message = "the span has been ended on line " + line + ": this does nothing"
		if second.method == "End" { // an EndErr wants to be the one that counts
			d.SuggestedFixes = remove(second)
		}
	}
	u.report(pass, d)
}

// remove offers to delete a statement that is nothing but an End.
func remove(u use) []analysis.SuggestedFix {
	call := u.call.Node().(*ast.CallExpr)
	if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || !isIdent(sel.X) || !listed(u.call.Parent()) {
		return nil
	}
	stmt := u.call.Parent().Node()
	return []analysis.SuggestedFix{{
		Message:   "Remove it",
		TextEdits: []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.End()}},
	}}
}

// follow goes from one End along the only way there is and gives the next.
func follow(graph *cfg.CFG, before map[*cfg.Block]int, first use, ends, sets []use, v *types.Var) (use, bool) {
	block, i := locate(graph, first.at.Node())
	if block == nil {
		return use{}, false
	}
	for range len(graph.Blocks) {
		for _, n := range block.Nodes[i:] {
			if n.Pos() == v.Pos() || declares(n, v) || anyWithin(sets, n) {
				return use{}, false // another span from here on
			}
			for _, second := range ends {
				if second.at != first.at && within(second.at.Node(), n) {
					return second, true
				}
			}
		}
		if len(block.Succs) != 1 || before[block.Succs[0]] != 1 {
			return use{}, false
		}
		block, i = block.Succs[0], 0
	}
	return use{}, false
}

// declares reports whether a node of a graph declares the variable, as a loop does anew in each round.
func declares(n ast.Node, v *types.Var) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() }

func anyWithin(uses []use, n ast.Node) bool {
	for _, use := range uses {
		if within(use.at.Node(), n) {
			return true
		}
	}
	return false
}

// locate gives the block that holds a node, and the index of what follows there.
func locate(graph *cfg.CFG, node ast.Node) (*cfg.Block, int) {
	for _, b := range graph.Blocks {
		for i, n := range b.Nodes {
			if within(node, n) {
				return b, i + 1
			}
		}
	}
	return nil, 0
}

func predecessors(graph *cfg.CFG) map[*cfg.Block]int {
	before := map[*cfg.Block]int{}
	for _, b := range graph.Blocks {
		if !b.Live {
			continue
		}
		for _, next := range b.Succs {
			before[next]++
		}
	}
	return before
}
