package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// bound says how many values a string can have.
type bound uint8

const (
	bounded bound = iota // those in the source
	given                // those that callers of the function give
	free                 // any
)

// names works out what the name of a span can be.
type names struct {
	u      *unit
	k      *knowledge
	params []*types.Var        // that the name is made of
	seen   map[*types.Var]bool // a variable may be set to itself and more
}

func (k *knowledge) bound(u *unit, e ast.Expr) (bound, []*types.Var) {
	n := names{u: u, k: k, seen: map[*types.Var]bool{}}
	return n.of(e), n.params
}

func (n *names) of(e ast.Expr) bound {
	e = ast.Unparen(e)
	if tv, ok := n.u.info.Types[e]; ok && tv.Value != nil {
		return bounded
	}
	t := n.u.info.TypeOf(e)
	if both, ok := t.(*types.Tuple); ok && both.Len() == 2 {
		t = both.At(0).Type() // v, ok := m[k]
	}
	if t != nil && isEnum(t) {
		return bounded
	} else if t != nil && !isString(t) {
		return free // a number, an error
	}
	switch e := e.(type) {
	case *ast.Ident:
		return n.variable(n.u.variable(e))
	case *ast.SelectorExpr:
		if isPattern(n.u.variable(e)) {
			return bounded
		}
		if n.tagged(e) {
			return free
		}
		return n.variable(n.u.variable(e))
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return max(n.of(e.X), n.of(e.Y))
		}
	case *ast.IndexExpr:
		return n.element(e.X)
	case *ast.SliceExpr:
		return n.of(e.X)
	case *ast.CallExpr:
		return n.call(e)
	}
	return free
}

// patterns are fields of other packages that the conventions make names of: what a mux found, the method of a call.
var patterns = map[string][]string{
	"net/http":                     {"Pattern", "Method"},
	"google.golang.org/grpc":       {"FullMethod"},
	"google.golang.org/grpc/stats": {"FullMethodName"},
}

func isPattern(v *types.Var) bool {
	return v != nil && v.IsField() && v.Pkg() != nil && slices.Contains(patterns[v.Pkg().Path()], v.Name())
}

// tagged reports whether a field is read from data: something decodes into a field that has a tag.
func (n *names) tagged(e *ast.SelectorExpr) bool {
	selection := n.u.info.Selections[e]
	if selection == nil || selection.Kind() != types.FieldVal {
		return false
	}
	t := selection.Recv()
	for depth, i := range selection.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		fields, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		if depth == len(selection.Index())-1 {
			return fields.Tag(i) != ""
		}
		t = fields.Field(i).Type()
	}
	return false
}

// variable looks at all that a variable or field is set to.
func (n *names) variable(v *types.Var) bound {
	if v == nil {
		return free
	}
	if n.seen[v] {
		return bounded // by what else it is set to
	}
	n.seen[v] = true
	exprs, all := n.u.Settings(v)
	most := bounded
	for _, e := range exprs {
		most = max(most, n.of(e))
	}
	switch {
	case !all:
		return free
	case v.Kind() == types.ParamVar:
		n.params = append(n.params, v)
		return max(most, given)
	case v.Kind() == types.PackageVar && v.Pkg() != n.k.pass.Pkg:
		return bounded // a name that another package has chosen
	case v.IsField() && len(exprs) == 0 && v.Pkg() != n.k.pass.Pkg:
		return free // read from somewhere
	case v.IsField() && len(exprs) == 0:
		return given // an option that a user sets
	}
	return most
}

// element looks at all elements of a list or map that is written out in the source.
func (n *names) element(e ast.Expr) bound {
	if v := n.u.variable(e); v != nil && v.Kind() == types.ParamVar {
		return given
	}
	lit, ok := n.u.Value(e).(*ast.CompositeLit)
	if !ok {
		return free
	}
	most := bounded
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		most = max(most, n.of(elt))
	}
	return most
}

// shapers are functions whose result has as many values as their arguments have.
var shapers = map[string][]string{
	"fmt":     {"Sprint", "Sprintf"},
	"strings": {"ToLower", "ToUpper", "TrimSpace", "TrimPrefix", "TrimSuffix", "Trim", "ReplaceAll", "Join"},
	"cmp":     {"Or"},
}

func (n *names) call(call *ast.CallExpr) bound {
	if tv := n.u.info.Types[call.Fun]; tv.IsType() && len(call.Args) == 1 {
		return n.of(call.Args[0])
	}
	fn := n.u.Callee(call)
	if fn == nil {
		return free
	}
	fn = fn.Origin()
	if fn.Name() == "String" && fn.Signature().Recv() != nil && isEnum(fn.Signature().Recv().Type()) {
		return bounded
	}
	args := n.u.Call(call).Args
	if params, ok := n.k.tells(fn); ok {
		most := bounded
		for _, i := range params {
			if i < len(args) {
				most = max(most, n.of(args[i]))
			}
		}
		return most
	}
	if fn.Pkg() == nil || fn.Signature().Recv() != nil || !slices.Contains(shapers[fn.Pkg().Path()], fn.Name()) {
		return free
	}
	most := bounded
	for _, arg := range args {
		most = max(most, n.of(arg))
	}
	return most
}

// isEnum reports whether a type is a named string or integer with constants beside it.
func isEnum(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	if basic, ok := named.Underlying().(*types.Basic); !ok || basic.Info()&(types.IsInteger|types.IsString) == 0 {
		return false
	}
	scope := named.Obj().Pkg().Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		c, ok := scope.Lookup(name).(*types.Const)
		return ok && types.Identical(c.Type(), named)
	})
}

// namesOf says whether a function returns one string, which is of its source or made of the parameters that are given.
func (k *knowledge) namesOf(u *unit, fn inspector.Cursor) (params []int, ok bool) {
	sig := u.signature(fn)
	if sig == nil || sig.Results().Len() != 1 || !isString(sig.Results().At(0).Type()) {
		return nil, false
	}
	made := map[*types.Var]bool{}
	for at := range fn.Preorder((*ast.ReturnStmt)(nil)) {
		if inner, _ := function(at); inner != fn {
			continue
		}
		ret := at.Node().(*ast.ReturnStmt)
		if len(ret.Results) != 1 {
			return nil, false
		}
		b, from := k.bound(u, ret.Results[0])
		if b == free {
			return nil, false
		}
		for _, v := range from {
			made[v] = true
		}
		ok = true
	}
	return among(sig, made), ok
}

// namedBy gives the parameters of a function that become part of the name of a span.
func (k *knowledge) namedBy(u *unit, fn inspector.Cursor) []int {
	sig := u.signature(fn)
	if sig == nil {
		return nil
	}
	made := map[*types.Var]bool{}
	for at := range fn.Preorder((*ast.CallExpr)(nil)) {
		for _, name := range k.namesIn(u, at.Node().(*ast.CallExpr)) {
			_, from := k.bound(u, name)
			for _, v := range from {
				made[v] = true
			}
		}
	}
	return among(sig, made)
}

// among gives the indices of those variables that are parameters; a variadic one stands for too many.
func among(sig *types.Signature, vars map[*types.Var]bool) (params []int) {
	for i := range sig.Params().Len() {
		if vars[sig.Params().At(i)] && !(sig.Variadic() && i == sig.Params().Len()-1) {
			params = append(params, i)
		}
	}
	return params
}

// namesIn gives the arguments of a call that become part of the name of a span.
func (k *knowledge) namesIn(u *unit, call *ast.CallExpr) (out []ast.Expr) {
	params := k.names(u.Callee(call))
	if len(params) == 0 {
		return nil
	}
	args := u.Call(call).Args
	for _, i := range params {
		if i < len(args) {
			out = append(out, args[i])
		}
	}
	return out
}

// isString reports whether a type is a string, or a type parameter for strings only.
func isString(t types.Type) bool {
	if param, ok := types.Unalias(t).(*types.TypeParam); ok {
		return isStrings(param.Constraint())
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// isStrings reports whether a constraint lets strings through and nothing else.
func isStrings(constraint types.Type) bool {
	set, ok := constraint.Underlying().(*types.Interface)
	for embedded := range set.EmbeddedTypes() {
		union, isUnion := embedded.(*types.Union)
		if !isUnion {
			return false
		}
		for term := range union.Terms() {
			ok = ok && isString(term.Type())
		}
	}
	return ok && set.NumEmbeddeds() > 0
}

// isValue reports whether a type is the one of package lens, and no pointer to it.
func isValue(t types.Type, name string) bool {
	_, pointer := types.Unalias(t).(*types.Pointer)
	return !pointer && surface.Is(t, name)
}
