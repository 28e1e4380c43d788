package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

func itoa(n int) string { return strconv.Itoa(n) }

// deferEnd offers to defer the end of a span right after its start. Not in a loop, where it would end with the function.
func (u *unit) deferEnd(s start, v *types.Var) []analysis.SuggestedFix {
	at, ok := s.inList()
	if !ok || s.looped() {
		return nil
	}
	end := u.ending(s.fn, v.Name())
	return []analysis.SuggestedFix{{Message: "Add defer " + end, TextEdits: []analysis.TextEdit{u.below(at, "defer "+end)}}}
}

// keep offers to give a name to a span that was thrown away, and to defer its end.
func (u *unit) keep(s start) []analysis.SuggestedFix {
	at, ok := s.inList()
	assign, isAssign := s.stmt.(*ast.AssignStmt)
	if !ok || !isAssign || s.looped() || u.mentions(s.fn, "span") {
		return nil
	}
	edits := []analysis.TextEdit{{Pos: s.span.Pos(), End: s.span.End(), NewText: []byte("span")}}
	if assign.Tok == token.ASSIGN {
		if ctx, ok := s.ctx.(*ast.Ident); !ok || ctx.Name != "_" {
			return nil // := would make another ctx, perhaps
		}
		edits = append(edits, analysis.TextEdit{Pos: assign.TokPos, End: assign.TokPos + 1, NewText: []byte(":=")})
	}
	end := u.ending(s.fn, "span")
	edits = append(edits, u.below(at, "defer "+end))
	return []analysis.SuggestedFix{{Message: "Name it and add defer " + end, TextEdits: edits}}
}

// ending is End, or EndErr in a function whose last result is an error with a name.
func (u *unit) ending(fn inspector.Cursor, span string) string {
	if sig := u.signature(fn); sig != nil && sig.Results().Len() > 0 {
		last := sig.Results().At(sig.Results().Len() - 1)
		if last.Name() != "" && last.Name() != "_" && types.Identical(last.Type(), types.Universe.Lookup("error").Type()) {
			return span + ".EndErr(&" + last.Name() + ")"
		}
	}
	return span + ".End()"
}

// below puts a line below a statement, behind a comment at its end.
func (u *unit) below(stmt inspector.Cursor, text string) analysis.TextEdit {
	pos := stmt.Node().End()
	for file := range stmt.Enclosing((*ast.File)(nil)) {
		for _, group := range file.Node().(*ast.File).Comments {
			if group.Pos() >= pos && u.line(group.Pos()) == u.line(pos) && u.lastOnLine(stmt, group.Pos()) {
				pos = group.List[0].End()
			}
		}
	}
	return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte("\n" + text)}
}

// lastOnLine reports whether a comment comes before anything else that follows a statement.
func (u *unit) lastOnLine(stmt inspector.Cursor, comment token.Pos) bool {
	next, ok := stmt.NextSibling()
	return (!ok || comment < next.Node().Pos()) && comment < stmt.Parent().Node().End()
}

// inList gives the statement of a start if it stands in a list of statements, so that another can follow it.
func (s start) inList() (inspector.Cursor, bool) {
	if s.stmt == nil {
		return inspector.Cursor{}, false
	}
	at := s.call
	for at.Node() != s.stmt {
		at = at.Parent()
	}
	if at.ParentEdgeKind() == edge.GenDecl_Specs {
		if at = at.Parent().Parent(); at.Node().(*ast.DeclStmt).Decl.(*ast.GenDecl).Lparen.IsValid() {
			return at, false
		}
	}
	return at, listed(at)
}

// listed reports whether a statement stands in a list of statements: one in the head of an if or a for cannot be wrapped,
// removed or followed.
func listed(stmt inspector.Cursor) bool {
	switch stmt.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		return true
	}
	return false
}

// looped reports whether a start is in a loop of its function.
func (s start) looped() bool { return looped(s.call, s.fn) }

// looped reports whether a place is in the body of a loop of the function.
func looped(at, fn inspector.Cursor) bool {
	for ; at != fn; at = at.Parent() {
		switch at.ParentEdgeKind() {
		case edge.ForStmt_Body, edge.RangeStmt_Body, edge.ForStmt_Cond, edge.ForStmt_Post:
			return true
		}
	}
	return false
}

// mentions reports whether a function uses a name at all.
func (u *unit) mentions(fn inspector.Cursor, name string) bool {
	for at := range fn.Preorder((*ast.Ident)(nil)) {
		if at.Node().(*ast.Ident).Name == name {
			return true
		}
	}
	return false
}
