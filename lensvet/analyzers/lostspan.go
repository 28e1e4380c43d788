package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
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
		case s.alone():
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

// alone reports whether the call is a statement of its own, deferred or not.
func (s start) alone() bool {
	switch s.call.ParentEdgeKind() {
	case edge.ExprStmt_X, edge.DeferStmt_Call, edge.GoStmt_Call:
		return true
	}
	return false
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
	if ends > 0 && pass.Pkg.Scope().Innermost(s.span.Pos()) != v.Parent() {
		return
	}
	node := newLeak(u, s, v).find(graph)
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
