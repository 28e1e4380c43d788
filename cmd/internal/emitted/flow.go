package emitted

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lensgo/lens/cmd/internal/conventions"
)

// value is an expression with the package that it is in, or what is inside of it.
type value struct {
	ast.Expr
	info *types.Info
	part part
}

// part is which part of a list or map is meant.
type part int

const (
	whole part = iota
	keys
	elements
)

// parameter is a parameter of a function.
type parameter struct {
	function string // its key
	name     string // its full name; empty for a function without one
	index    int
}

// flow knows what variables, fields and parameters are set to. Things are known by where they are declared, since each package is
// read by itself, and sees others through what the compiler exported.
type flow struct {
	set        *token.FileSet
	sets       map[string][]value   // of variables, fields and what is inside of maps and lists of them
	parameters map[string]parameter // by the variable
	arguments  map[parameter][]value
	results    map[string][]value // first results, by the function
}

func newFlow(set *token.FileSet, all []*packages.Package) *flow {
	f := &flow{set: set, sets: map[string][]value{}, parameters: map[string]parameter{}, arguments: map[parameter][]value{}, results: map[string][]value{}}
	for _, p := range all {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool { f.declare(p.TypesInfo, n); return true })
		}
	}
	for _, p := range all {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool { f.note(p.TypesInfo, n); return true })
		}
	}
	return f
}

// key tells what an object is in all packages. The column is left out, which not every package knows.
func (f *flow) key(o types.Object) string {
	switch v := o.(type) {
	case nil:
		return ""
	case *types.Var:
		o = v.Origin()
	case *types.Func:
		o = v.Origin()
	}
	if !o.Pos().IsValid() {
		return ""
	}
	at := f.set.Position(o.Pos())
	return fmt.Sprintf("%s:%d:%s", at.Filename, at.Line, o.Name())
}

// declare notes functions, and what they return.
func (f *flow) declare(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if fn, ok := info.Defs[n.Name].(*types.Func); ok {
			f.function(info, f.key(fn), fn.FullName(), n.Type, n.Body)
		}
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			if lit, ok := paired(i, len(n.Lhs), n.Rhs).(*ast.FuncLit); ok {
				f.function(info, f.key(variable(info, lhs)), "", lit.Type, lit.Body)
			}
		}
	}
}

func (f *flow) function(info *types.Info, key, name string, t *ast.FuncType, body *ast.BlockStmt) {
	if key == "" || body == nil {
		return
	}
	index := 0
	for _, field := range t.Params.List {
		for _, id := range field.Names {
			f.parameters[f.key(info.Defs[id])] = parameter{key, name, index}
			index++
		}
		index += max(0, 1-len(field.Names)) // one without a name
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				f.results[key] = append(f.results[key], value{n.Results[0], info, whole})
			}
		}
		return true
	})
}

// note notes what a statement or a literal sets.
func (f *flow) note(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			f.assign(info, lhs, paired(i, len(n.Lhs), n.Rhs))
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if len(n.Values) > 0 {
				f.assign(info, id, paired(i, len(n.Names), n.Values))
			}
		}
	case *ast.RangeStmt:
		f.ranged(info, n)
	case *ast.CompositeLit:
		f.literal(info, n)
	case *ast.CallExpr:
		f.call(info, n)
	}
}

// paired is the value that the i-th of n variables gets; nil for one of several results.
func paired(i, n int, values []ast.Expr) ast.Expr {
	if n != len(values) {
		if i == 0 {
			return values[0] // v, ok := m[k]
		}
		return nil
	}
	return values[i]
}

func (f *flow) assign(info *types.Info, lhs, rhs ast.Expr) { f.put(info, lhs, value{rhs, info, whole}) }

func (f *flow) put(info *types.Info, lhs ast.Expr, v value) {
	if key := f.key(variable(info, lhs)); key != "" {
		f.sets[key] = append(f.sets[key], v)
	}
}

// ranged sets the variables of a loop.
func (f *flow) ranged(info *types.Info, n *ast.RangeStmt) {
	if n.Key != nil && isText(info.TypeOf(n.Key)) {
		f.put(info, n.Key, value{n.X, info, keys})
	}
	if n.Value != nil && isText(info.TypeOf(n.Value)) {
		f.put(info, n.Value, value{n.X, info, elements})
	}
}

// literal sets the fields of a struct.
func (f *flow) literal(info *types.Info, lit *ast.CompositeLit) {
	t := info.TypeOf(lit)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // in a list of pointers
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				key := f.key(info.Uses[id])
				f.sets[key] = append(f.sets[key], value{kv.Value, info, whole})
			}
			continue
		}
		key := f.key(st.Field(i))
		f.sets[key] = append(f.sets[key], value{elt, info, whole})
	}
}

// call notes the arguments of a function that was declared.
func (f *flow) call(info *types.Info, call *ast.CallExpr) {
	var key, name string
	if fn := callee(info, call); fn != nil {
		key, name = f.key(fn), fn.Origin().FullName()
	} else {
		key = f.key(variable(info, call.Fun))
	}
	if key == "" {
		return
	}
	for i, arg := range call.Args {
		at := parameter{key, name, i}
		f.arguments[at] = append(f.arguments[at], value{arg, info, whole})
	}
}

func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) { // a generic function with its types
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ := info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[x.Sel].(*types.Func)
		return fn
	}
	return nil
}

func variable(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := info.ObjectOf(e).(*types.Var); ok {
			return v
		}
	case *ast.SelectorExpr:
		if v, ok := info.ObjectOf(e.Sel).(*types.Var); ok {
			return v
		}
	}
	return nil
}

func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// text is a text that an expression can be.
type text struct {
	string
	picked bool      // it came out of a field: something else in the struct may say when it is this one
	pos    token.Pos // of the constant; none of what is not known
}

// unknown is a text of which nothing is known.
var unknown = []text{{string: conventions.Hole}}

// most is how many texts a name may have; more are not told apart.
const most = 200

// texts are the texts that an expression can be, sorted.
func (f *flow) texts(v value) []text {
	texts := sorted((&walk{flow: f, open: map[string]bool{}}).texts(v))
	if len(texts) == 0 || len(texts) > most {
		return unknown
	}
	return texts
}

// sorted has each text once, and as one that was not picked where it is both.
func sorted(texts []text) []text {
	slices.SortFunc(texts, func(a, b text) int {
		direct := func(t text) int { return map[bool]int{true: 1}[t.picked] }
		return cmp.Or(strings.Compare(a.string, b.string), direct(a)-direct(b), int(a.pos-b.pos))
	})
	return slices.CompactFunc(texts, func(a, b text) bool { return a.string == b.string })
}

// walk follows one expression back.
type walk struct {
	*flow
	open map[string]bool // what is being followed: in a circle there is nothing new
}

func (w *walk) texts(v value) []text {
	if v.Expr == nil {
		return unknown
	}
	if c := v.info.Types[v.Expr].Value; c != nil && c.Kind() == constant.String {
		return []text{{string: constant.StringVal(c), pos: v.Expr.Pos()}}
	}
	switch e := ast.Unparen(v.Expr).(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return joined(w.texts(value{e.X, v.info, whole}), w.texts(value{e.Y, v.info, whole}))
		}
	case *ast.CallExpr:
		return w.result(e, v)
	case *ast.CompositeLit:
		return w.inside(e, v)
	case *ast.IndexExpr:
		return w.texts(value{e.X, v.info, elements})
	case *ast.Ident, *ast.SelectorExpr:
		return w.object(variable(v.info, e), v.part)
	}
	return unknown
}

// joined are all of a before all of b. What may be empty is left out for that when it is, so that is not looked at.
func joined(a, b []text) (out []text) {
	for _, x := range a {
		for _, y := range b {
			if x.string == "" && len(a) > 1 || y.string == "" && len(b) > 1 {
				continue
			}
			both := strings.ReplaceAll(x.string+y.string, conventions.Hole+conventions.Hole, conventions.Hole)
			out = append(out, text{both, x.picked || y.picked, cmp.Or(x.pos, y.pos)})
		}
	}
	return out
}

// inside are the texts in a list or map.
func (w *walk) inside(lit *ast.CompositeLit, v value) (out []text) {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if v.part == keys {
				elt = kv.Key
			} else {
				elt = kv.Value
			}
		}
		out = append(out, w.texts(value{elt, v.info, whole})...)
	}
	return out
}

// object are the texts that a variable, field or parameter is set to.
func (w *walk) object(o types.Object, p part) []text {
	key := w.key(o)
	values := w.sets[key]
	if at, ok := w.parameters[key]; ok {
		values = append(slices.Clip(values), w.arguments[at]...)
	}
	texts := w.each(key, values, p)
	if v, ok := o.(*types.Var); ok && v.IsField() {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i].picked = true
		}
	}
	return texts
}

// result are the texts that a call returns.
func (w *walk) result(call *ast.CallExpr, v value) []text {
	if tv := v.info.Types[call.Fun]; tv.IsType() && len(call.Args) == 1 { // a conversion
		return w.texts(value{call.Args[0], v.info, v.part})
	}
	fn := callee(v.info, call)
	if fn == nil {
		return unknown
	}
	key := w.key(fn)
	values := slices.Clone(w.results[key])
	for i, r := range values {
		// A parameter that is returned as it came is what this call gives, and not what any call gives.
		if at, ok := w.parameters[w.key(variable(r.info, r.Expr))]; ok && at.function == key && at.index < len(call.Args) {
			values[i] = value{call.Args[at.index], v.info, whole}
		}
	}
	return w.each(key, values, v.part)
}

// each follows all values of one thing, and is not known where there is none: somebody sets or calls it whom we do not know.
func (w *walk) each(key string, values []value, p part) (out []text) {
	switch {
	case key == "" || len(values) == 0:
		return unknown
	case w.open[key]:
		return nil
	}
	w.open[key] = true
	defer delete(w.open, key)
	for _, v := range values {
		if v.part == whole {
			v.part = p
		}
		out = append(out, w.texts(v)...)
	}
	return sorted(out)
}
