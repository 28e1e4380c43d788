package surface

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Source is a type-checked package with what its variables and fields are set to. It is safe for concurrent use.
type Source struct {
	info *types.Info
	sets map[*types.Var]*settings
}

// settings are the values that the package's source gives a variable.
type settings struct {
	exprs    []ast.Expr
	declared bool // the first is where it is declared
	opaque   bool // it also gets others, which cannot be told
}

// NewSource looks through the files of a package.
func NewSource(info *types.Info, files []*ast.File) *Source {
	s := &Source{info: info, sets: map[*types.Var]*settings{}}
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
			if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
				s.set(lhs, paired(i, len(n.Lhs), n.Rhs))
			} else {
				s.set(lhs, nil)
			}
		}
	case *ast.ValueSpec:
		s.noteSpec(n)
	case *ast.RangeStmt:
		s.set(n.Key, nil)
		// What an element is set to is asked of what it is an element of.
		s.set(n.Value, &ast.IndexExpr{X: n.X})
	case *ast.IncDecStmt:
		s.set(n.X, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.set(n.X, nil) // somebody may write through the address
		}
	case *ast.CompositeLit:
		s.noteFields(n)
	}
}

// paired gives what the i-th of n names is set to; nil: what cannot be told.
func paired(i, n int, values []ast.Expr) ast.Expr {
	if len(values) == n {
		return values[i]
	}
	if _, index := ast.Unparen(values[0]).(*ast.IndexExpr); index && i == 0 {
		return values[0] // v, ok := m[k]
	}
	return nil
}

func (s *Source) noteSpec(n *ast.ValueSpec) {
	if len(n.Values) == 0 {
		return // the zero value, which may be set later
	}
	for i, name := range n.Names {
		s.set(name, paired(i, len(n.Names), n.Values))
	}
}

func (s *Source) noteFields(n *ast.CompositeLit) {
	t := s.info.TypeOf(n)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // an element of a literal of pointers
		t = p.Elem()
	}
	fields, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, elt := range n.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			s.set(kv.Key, kv.Value)
		} else if i < fields.NumFields() {
			s.add(fields.Field(i), elt)
		}
	}
}

// set notes that what lhs names has a value; nil: one that cannot be told.
func (s *Source) set(lhs, rhs ast.Expr) {
	v := s.variable(lhs)
	if v == nil {
		return
	}
	before := s.sets[v]
	id, _ := lhs.(*ast.Ident)
	s.add(v, rhs)
	if before == nil && id != nil && s.info.Defs[id] == v {
		s.sets[v].declared = true
	}
}

func (s *Source) add(v *types.Var, rhs ast.Expr) {
	v = v.Origin()
	set := s.sets[v]
	if set == nil {
		set = &settings{}
		s.sets[v] = set
	}
	if rhs == nil {
		set.opaque = true
	} else {
		set.exprs = append(set.exprs, rhs)
	}
}

// variable gives the variable or field that e names.
func (s *Source) variable(e ast.Expr) *types.Var {
	var id *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	case *ast.ParenExpr:
		return s.variable(e.X)
	default:
		return nil
	}
	v, ok := s.info.ObjectOf(id).(*types.Var)
	if !ok {
		return nil
	}
	return v.Origin()
}

// Var gives the variable that e names, which is no field, and nil for other expressions.
func (s *Source) Var(e ast.Expr) *types.Var {
	if v := s.variable(e); v != nil && !v.IsField() {
		return v
	}
	return nil
}

// Field gives the field that e names, and nil for other expressions.
func (s *Source) Field(e ast.Expr) *types.Var {
	if v := s.variable(e); v != nil && v.IsField() {
		return v
	}
	return nil
}

// Settings gives what the package sets a variable or field to, and whether that is all that it is set to here. Of a
// parameter the arguments are not among it. An element of e, in a loop over it, is an [ast.IndexExpr] without an index.
func (s *Source) Settings(v *types.Var) (exprs []ast.Expr, all bool) {
	set := s.sets[v]
	if set == nil {
		return nil, true
	}
	return set.exprs, !set.opaque
}

// Value gives the expression that e stands for: what a variable is set to, when that is in one place, where the variable
// is declared, in this package; else e. It is nil for a variable of which that cannot be told: a parameter, one that is
// set in several places, one of another package.
func (s *Source) Value(e ast.Expr) ast.Expr {
	for range 8 { // a chain of variables is longer in generated code only
		e = ast.Unparen(e)
		v := s.Var(e)
		if v == nil {
			return e
		}
		set := s.sets[v]
		if set == nil || !set.declared || set.opaque || len(set.exprs) != 1 {
			return nil
		}
		e = set.exprs[0]
	}
	return nil
}

// String gives the value of a constant string expression.
func (s *Source) String(e ast.Expr) (string, bool) {
	tv, ok := s.info.Types[e]
	if !ok || tv.Value == nil || tv.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(tv.Value), true
}
