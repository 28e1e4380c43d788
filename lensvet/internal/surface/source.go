package surface

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Source is a type-checked package with what its variables are set to. It is safe for concurrent use once made.
type Source struct {
	info   *types.Info
	values map[*types.Var]ast.Expr // set once, where they are declared
	others map[*types.Var]bool     // set elsewhere, or more than once
}

// NewSource looks through the files of a package.
func NewSource(info *types.Info, files []*ast.File) *Source {
	s := &Source{info: info, values: map[*types.Var]ast.Expr{}, others: map[*types.Var]bool{}}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			s.note(n)
			return true
		})
	}
	return s
}

func (s *Source) note(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			var rhs ast.Expr
			if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
				rhs = n.Rhs[i]
			}
			s.set(lhs, rhs)
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			switch {
			case len(n.Values) == 0: // the zero value; what it is set to later is another
				s.set(name, nil)
			case len(n.Values) == len(n.Names):
				s.set(name, n.Values[i])
			default:
				s.set(name, nil)
			}
		}
	case *ast.RangeStmt:
		s.set(n.Key, nil)
		s.set(n.Value, nil)
	case *ast.IncDecStmt:
		s.set(n.X, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.set(n.X, nil) // somebody may write through the address
		}
	}
}

// set notes that a variable has a value; nil: one that cannot be told. Variables of fields are not tracked.
func (s *Source) set(lhs ast.Expr, rhs ast.Expr) {
	id, ok := lhs.(*ast.Ident)
	if !ok {
		return
	}
	v, ok := s.info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() {
		return
	}
	if rhs == nil || s.others[v] || s.values[v] != nil || s.info.Defs[id] == nil {
		s.others[v] = true
		delete(s.values, v)
		return
	}
	s.values[v] = rhs
}

// Value gives the expression that e stands for: what a variable is set to, when that is in one place, where the variable
// is declared, in this package; else e. It is nil for a variable of which nothing is known: a parameter, one that is set
// in several places, one of another package.
func (s *Source) Value(e ast.Expr) ast.Expr {
	for range 8 { // a chain of variables may be long in generated code only
		e = ast.Unparen(e)
		v := s.Var(e)
		if v == nil {
			return e
		}
		next := s.values[v]
		if next == nil {
			return nil
		}
		e = next
	}
	return nil
}

// Var gives the variable that e names, which is no field, and nil for other expressions.
func (s *Source) Var(e ast.Expr) *types.Var {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel // of a package; a field is no variable here
	default:
		return nil
	}
	v, ok := s.info.Uses[id].(*types.Var)
	if !ok {
		v, ok = s.info.Defs[id].(*types.Var)
	}
	if !ok || v.IsField() {
		return nil
	}
	return v
}

// String gives the value of a constant string expression.
func (s *Source) String(e ast.Expr) (string, bool) {
	tv, ok := s.info.Types[e]
	if !ok || tv.Value == nil || tv.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(tv.Value), true
}
