package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// page is where each category has its section.
const page = "https://github.com/lensgo/lens/blob/main/docs/lensvet.md#"

// report gives out a finding, unless the line that it is on, or the one on which its statement begins, is silenced.
func (u *unit) report(pass *analysis.Pass, d analysis.Diagnostic) {
	d.Category = pass.Analyzer.Name
	d.URL = page + d.Category
	for _, pos := range []token.Pos{d.Pos, u.statement(d.Pos)} {
		if u.silent.Ignores(pass.Fset.Position(pos), d.Category) {
			return
		}
	}
	pass.Report(d)
}

// reportf is report without more than a text.
func (u *unit) reportf(pass *analysis.Pass, at analysis.Range, format string, args ...any) {
	u.report(pass, analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: fmt.Sprintf(format, args...)})
}

// statement gives where the innermost statement or declaration around pos begins.
func (u *unit) statement(pos token.Pos) token.Pos {
	at, ok := u.root.FindByPos(pos, pos)
	if !ok {
		return pos
	}
	for ; at.Valid() && at.Node() != nil; at = at.Parent() {
		switch at.Node().(type) {
		case ast.Stmt, ast.Decl, ast.Spec:
			return at.Node().Pos()
		}
	}
	return pos
}
