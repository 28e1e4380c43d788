package program

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lensgo/lens/lensvet/internal/directive"
	"github.com/lensgo/lens/lensvet/internal/surface"
)

// unit is a package that is read.
type unit struct {
	*packages.Package
	lens   *surface.Source
	silent directive.Set
	root   bool // the patterns name it
}

// value is an expression, with where it stands.
type value struct {
	ast.Expr
	in     *unit
	result int  // which of a call's results
	param  bool // it got here through a parameter
}

func (v value) with(e ast.Expr) value { return value{Expr: e, in: v.in, param: v.param} }

func (v value) typ() types.Type { return v.in.TypesInfo.TypeOf(v.Expr) }

// flow knows what is put into variables and fields, without regard to order, in all units.
type flow struct {
	values  map[*types.Var][]value
	params  map[*types.Var]bool
	results map[*types.Func][][]value // by the number of the result
	makers  map[*types.Func]*maker
	inside  []inside
}

// inside is a value that is put into another one: a field of a struct, an element of a map.
type inside struct {
	of    value
	field string // or
	key   ast.Expr
	value value
}

func newFlow(units []*unit) *flow {
	f := &flow{values: map[*types.Var][]value{}, params: map[*types.Var]bool{}, results: map[*types.Func][][]value{}, makers: map[*types.Func]*maker{}}
	for _, u := range units {
		for _, file := range u.Syntax {
			f.functions(u, file)
		}
	}
	for _, u := range units {
		for _, file := range u.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				f.note(u, n)
				return true
			})
		}
	}
	return f
}

// functions notes what the functions of a file return, and which variables are their parameters.
func (f *flow) functions(u *unit, file *ast.File) {
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		fn, ok := u.TypesInfo.Defs[d.Name].(*types.Func)
		if !ok {
			continue
		}
		for p := range fn.Signature().Params().Variables() {
			f.params[p] = true
		}
		if d.Body != nil {
			f.results[fn] = results(u, d, fn)
		}
	}
}

func results(u *unit, d *ast.FuncDecl, fn *types.Func) [][]value {
	out := make([][]value, fn.Signature().Results().Len())
	var named []*ast.Ident
	if d.Type.Results != nil {
		for _, field := range d.Type.Results.List {
			named = append(named, field.Names...)
		}
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for i := range out {
				switch {
				case len(n.Results) == len(out):
					out[i] = append(out[i], value{Expr: n.Results[i], in: u})
				case len(n.Results) == 1: // the results of a call
					out[i] = append(out[i], value{Expr: n.Results[0], in: u, result: i})
				case len(named) == len(out):
					out[i] = append(out[i], value{Expr: named[i], in: u})
				}
			}
		}
		return true
	})
	return out
}

func (f *flow) note(u *unit, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
			f.assign(u, n.Lhs, n.Rhs)
		} else { // name += "x": something else
			f.put(u, n.Lhs[0], value{Expr: &ast.BadExpr{}, in: u})
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND && isString(u.TypesInfo.TypeOf(n.X)) { // a flag, say
			f.put(u, n.X, value{Expr: &ast.BadExpr{}, in: u})
		}
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		f.assign(u, lhs, n.Values)
	case *ast.RangeStmt:
		if n.Key != nil && carries(u.TypesInfo.TypeOf(n.Key)) {
			f.put(u, n.Key, value{Expr: n.X, in: u})
		}
		if n.Value != nil {
			f.put(u, n.Value, value{Expr: n.X, in: u})
		}
	case *ast.CompositeLit:
		f.fields(u, n)
	case *ast.CallExpr:
		f.arguments(u, n)
	}
}

func (f *flow) assign(u *unit, lhs, rhs []ast.Expr) {
	for i := range lhs {
		switch {
		case len(lhs) == len(rhs):
			f.put(u, lhs[i], value{Expr: rhs[i], in: u})
		case len(rhs) == 1:
			f.put(u, lhs[i], value{Expr: rhs[0], in: u, result: i})
		}
	}
}

// put notes that v is assigned to what stands on the left side.
func (f *flow) put(u *unit, lhs ast.Expr, v value) {
	switch lhs := ast.Unparen(lhs).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if to := variable(u, lhs); to != nil {
			f.values[to] = append(f.values[to], v)
		}
		if sel, ok := lhs.(*ast.SelectorExpr); ok && surface.Is(u.TypesInfo.TypeOf(sel.X), "Library") {
			f.inside = append(f.inside, inside{of: value{Expr: sel.X, in: u}, field: sel.Sel.Name, value: v})
		}
	case *ast.IndexExpr:
		if isPresets(u.TypesInfo.TypeOf(lhs.X)) {
			f.inside = append(f.inside, inside{of: value{Expr: lhs.X, in: u}, key: lhs.Index, value: v})
			return
		}
		f.put(u, lhs.X, v) // a container has what its elements have
	case *ast.StarExpr:
		f.put(u, lhs.X, v)
	}
}

// variable gives the variable or field that an expression names, nil for others. Fields of an instantiated type are
// those of the generic one.
func variable(u *unit, e ast.Expr) *types.Var {
	var v *types.Var
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ = u.TypesInfo.ObjectOf(e).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = u.TypesInfo.ObjectOf(e.Sel).(*types.Var)
	}
	if v == nil {
		return nil
	}
	return v.Origin()
}

// fields notes what a struct is made with.
func (f *flow) fields(u *unit, lit *ast.CompositeLit) {
	t := u.TypesInfo.TypeOf(lit)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // &T is left out in a list of *T
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if field := variable(u, kv.Key); field != nil {
				f.values[field] = append(f.values[field], value{Expr: kv.Value, in: u})
			}
		} else if i < st.NumFields() {
			field := st.Field(i).Origin()
			f.values[field] = append(f.values[field], value{Expr: elt, in: u})
		}
	}
}

// arguments notes what the parameters of a function of the program are given.
func (f *flow) arguments(u *unit, call *ast.CallExpr) {
	fn := u.lens.Callee(call)
	if fn == nil {
		return
	}
	fn = fn.Origin()
	if _, ours := f.results[fn]; !ours {
		return
	}
	params := fn.Signature().Params()
	for i, arg := range call.Args {
		if n := min(i, params.Len()-1); n >= 0 {
			f.values[params.At(n)] = append(f.values[params.At(n)], value{Expr: arg, in: u})
		}
	}
}

// origins follows a value back to the expressions that it can come from: literals, calls of what the program does not
// define, names of which nothing is known. For a container of handles it gives what the elements come from.
func (f *flow) origins(v value) []value {
	w := walk{flow: f, seen: map[step]bool{}}
	w.follow(v)
	return w.found
}

type walk struct {
	*flow
	seen  map[step]bool
	found []value
}

// step is something that a walk went through: a variable, a result.
type step struct {
	object types.Object
	result int
	param  bool
}

// first reports whether the walk comes by for the first time.
func (w *walk) first(o types.Object, result int, param bool) bool {
	s := step{o, result, param}
	before := w.seen[s]
	w.seen[s] = true
	return !before
}

func (w *walk) follow(v value) {
	switch e := v.Expr.(type) {
	case *ast.ParenExpr:
		v.Expr = e.X
		w.follow(v)
	case *ast.Ident, *ast.SelectorExpr:
		w.variable(v)
	case *ast.IndexExpr:
		w.follow(v.with(e.X))
	case *ast.SliceExpr:
		if isString(v.typ()) {
			w.found = append(w.found, v)
		} else {
			w.follow(v.with(e.X))
		}
	case *ast.StarExpr:
		w.follow(v.with(e.X))
	case *ast.TypeAssertExpr:
		w.follow(v.with(e.X))
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			w.follow(v.with(e.X))
		} else {
			w.found = append(w.found, v)
		}
	case *ast.CompositeLit:
		w.literal(v, e)
	case *ast.CallExpr:
		w.call(v, e)
	default:
		w.found = append(w.found, v)
	}
}

func (w *walk) variable(v value) {
	if isNil(v) {
		return
	}
	at := variable(v.in, v.Expr)
	if at == nil || constantOf(v) != "" || len(w.values[at]) == 0 {
		w.found = append(w.found, v)
		return
	}
	param := v.param || w.params[at]
	if !w.first(at, 0, param) {
		return
	}
	for _, from := range w.values[at] {
		from.param = from.param || param
		w.follow(from)
	}
}

func (w *walk) literal(v value, lit *ast.CompositeLit) {
	if !carries(v.typ()) || surface.Is(v.typ(), "Library") {
		w.found = append(w.found, v)
		return
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if carries(v.in.TypesInfo.TypeOf(kv.Key)) {
				w.follow(v.with(kv.Key))
			}
			elt = kv.Value
		}
		if carries(v.in.TypesInfo.TypeOf(elt)) {
			w.follow(v.with(elt))
		}
	}
}

func (w *walk) call(v value, call *ast.CallExpr) {
	if args, ok := through(v.in, call); ok {
		for _, arg := range args {
			w.follow(v.with(arg))
		}
		return
	}
	fn := v.in.lens.Callee(call)
	if fn == nil {
		w.found = append(w.found, v)
		return
	}
	fn = fn.Origin()
	returned, ours := w.results[fn]
	if !ours || v.result >= len(returned) || w.makers[fn] != nil {
		w.found = append(w.found, v)
		return
	}
	if !w.first(fn, v.result, v.param) {
		return
	}
	for _, from := range returned[v.result] {
		from.param = from.param || v.param
		w.follow(from)
	}
}

// through gives the arguments that come out of a call as they go in: of append, of a conversion, of slices.Clone and its
// like.
func through(u *unit, call *ast.CallExpr) ([]ast.Expr, bool) {
	if tv := u.TypesInfo.Types[call.Fun]; tv.IsType() {
		return call.Args, true
	}
	switch fn := typeutil.Callee(u.TypesInfo, call).(type) {
	case *types.Builtin:
		return call.Args, fn.Name() == "append"
	case *types.Func:
		if fn.Pkg() != nil && slices.Contains([]string{"slices", "maps"}, fn.Pkg().Path()) && len(call.Args) > 0 {
			return call.Args, slices.Contains([]string{"Clone", "Clip", "Concat", "Compact", "Values", "Collect", "Sorted"}, fn.Name())
		}
	}
	return nil, false
}

// carries reports whether something of this type is a handle, a registry or a declaration, or a container of them.
func carries(t types.Type) bool {
	for range 8 { // nobody nests deeper, and a type may contain itself
		if t == nil {
			return false
		}
		if surface.Is(t, "Group") || surface.Is(t, "Registry") || surface.Is(t, "Library") {
			return true
		}
		t = element(t)
	}
	return false
}

// element gives what a container has, nil for what is none.
func element(t types.Type) types.Type {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Chan:
		return t.Elem()
	case *types.Pointer:
		return t.Elem()
	case *types.Map:
		if surface.Is(t.Key(), "Group") {
			return t.Key()
		}
		return t.Elem()
	}
	return nil
}

// isPresets also knows the map that stands behind lens.Presets.
func isPresets(t types.Type) bool {
	if t == nil {
		return false
	}
	m, ok := t.Underlying().(*types.Map)
	if !ok || !isString(m.Key()) {
		return false
	}
	list, ok := m.Elem().Underlying().(*types.Slice)
	return ok && isString(list.Elem())
}

func isString(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isNil(v value) bool { return v.in.TypesInfo.Types[v.Expr].IsNil() }
