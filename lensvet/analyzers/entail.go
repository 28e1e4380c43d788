package analyzers

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/cfg"
)

// entails reports whether a condition that has the value makes some part of it have a value for which fact holds.
func entails(e ast.Expr, value bool, fact func(part ast.Expr, value bool) bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return entails(e.X, !value, fact)
		}
	case *ast.BinaryExpr:
		switch x, y := entails(e.X, value, fact), entails(e.Y, value, fact); e.Op {
		case token.LAND:
			return value && (x || y) || x && y
		case token.LOR:
			return !value && (x || y) || x && y
		}
	default:
		return fact(e, value)
	}
	return false
}

// condition gives what decides which of its two successors a block goes to; nil when nothing that can be read does.
func condition(b *cfg.Block) ast.Expr {
	if len(b.Succs) != 2 || len(b.Nodes) == 0 {
		return nil
	}
	switch b.Succs[0].Kind {
	case cfg.KindIfThen, cfg.KindForBody:
	case cfg.KindSwitchCaseBody:
		// A case of a switch with a tag is no condition; that would be a comparison, of which nothing follows here
		// either. Both look alike.
	default:
		return nil
	}
	e, _ := b.Nodes[len(b.Nodes)-1].(ast.Expr)
	return e
}
