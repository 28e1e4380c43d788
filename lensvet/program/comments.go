package program

import (
	"go/ast"
	"go/types"
	"strings"
)

// comments has what is written at variables and fields.
type comments struct {
	values map[ast.Expr]string
	fields map[*types.Var]string
	set    map[ast.Expr]*types.Var // which field an expression is put into
}

func newComments(units []*unit) *comments {
	c := &comments{values: map[ast.Expr]string{}, fields: map[*types.Var]string{}, set: map[ast.Expr]*types.Var{}}
	for _, u := range units {
		for _, file := range u.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				c.note(u, n)
				return true
			})
		}
	}
	return c
}

func (c *comments) note(u *unit, n ast.Node) {
	switch n := n.(type) {
	case *ast.GenDecl:
		for _, spec := range n.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			text := textOf(vs.Doc, vs.Comment)
			if text == "" && len(n.Specs) == 1 {
				text = textOf(n.Doc)
			}
			for _, v := range vs.Values {
				c.values[ast.Unparen(v)] = text
			}
		}
	case *ast.Field:
		for _, name := range n.Names {
			if v := variable(u, name); v != nil && v.IsField() {
				c.fields[v] = textOf(n.Doc, n.Comment)
			}
		}
	case *ast.KeyValueExpr:
		if v := variable(u, n.Key); v != nil && v.IsField() {
			c.set[ast.Unparen(n.Value)] = v
		}
	case *ast.AssignStmt:
		for i := range min(len(n.Lhs), len(n.Rhs)) {
			if v := variable(u, n.Lhs[i]); v != nil && v.IsField() {
				c.set[ast.Unparen(n.Rhs[i])] = v
			}
		}
	}
}

// of gives the comment of the variable or field that a value is put into.
func (c *comments) of(v value) string {
	if text := c.values[v.Expr]; text != "" {
		return text
	}
	return c.fields[c.set[v.Expr]]
}

// textOf gives the first comment that there is.
func textOf(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.TrimSpace(g.Text()); text != "" {
			return text
		}
	}
	return ""
}
