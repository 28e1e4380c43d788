package program

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// use finds every place that uses a handle.
func (r *reader) use() {
	for _, u := range r.units {
		for c := range inspector.New(u.Syntax).Root().Preorder((*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.CallExpr)(nil)) {
			if e, ok := reads(u, c); ok {
				r.useOf(value{Expr: e, in: u}, c)
			}
			if sel, ok := c.Node().(*ast.SelectorExpr); ok {
				r.usePromoted(u, sel, c)
			}
		}
	}
}

// reads reports whether the cursor is at an expression that yields a handle, or a container of handles, by itself: a name
// that is read, a call.
func reads(u *unit, c inspector.Cursor) (ast.Expr, bool) {
	e := c.Node().(ast.Expr)
	if id, ok := e.(*ast.Ident); ok && u.TypesInfo.Defs[id] != nil {
		return nil, false
	}
	switch kind, _ := c.ParentEdge(); kind {
	case edge.SelectorExpr_Sel, edge.AssignStmt_Lhs, edge.RangeStmt_Key, edge.RangeStmt_Value, edge.KeyValueExpr_Key:
		return nil, false
	}
	if _, ok := e.(*ast.CallExpr); !ok && variable(u, e) == nil {
		return nil, false
	}
	return e, handles(u.TypesInfo.TypeOf(e))
}

// handles reports whether something of this type is a handle or a container of handles.
func handles(t types.Type) bool {
	for range 8 {
		if t == nil {
			return false
		}
		if surface.Is(t, "Group") {
			return true
		}
		t = element(t)
	}
	return false
}

// useOf puts a place down to the groups that can be used there.
func (r *reader) useOf(v value, c inspector.Cursor) {
	if call, ok := v.Expr.(*ast.CallExpr); ok {
		if _, passes := through(v.in, call); passes {
			return // its arguments have their own turn
		}
	}
	site, ok := usage(v, c)
	if !ok {
		return
	}
	r.add(v, c, site, r.origins(v))
}

// add puts a site down to groups, once to each.
func (r *reader) add(v value, c inspector.Cursor, site Site, from []value) {
	site.Position, site.Func = r.at(v), enclosing(v.in, c)
	for _, from := range from {
		d := r.declared[from.Expr]
		if d != nil && !from.param && !slices.Contains(d.group.Sites, site) {
			d.group.Sites = append(d.group.Sites, site)
		}
	}
}

// usePromoted puts a call of a method down to the groups that are embedded in what it is called on.
func (r *reader) usePromoted(u *unit, sel *ast.SelectorExpr, c inspector.Cursor) {
	field := embedded(u.TypesInfo.Selections[sel])
	if field == nil || !surface.Is(field.Type(), "Group") {
		return
	}
	v := value{Expr: sel.X, in: u}
	site, ok := called(v, c, sel)
	if !ok {
		return
	}
	for _, from := range r.values[field] {
		r.add(v, c, site, r.origins(from))
	}
}

// embedded gives the last of the fields that a selection goes through without saying so.
func embedded(s *types.Selection) (field *types.Var) {
	if s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		field = st.Field(i).Origin()
		t = field.Type()
	}
	return field
}

// usage says how a handle is used where it is read. It is false where the handle only gets a name, by which it is found
// again, and where it is registered.
func usage(v value, c inspector.Cursor) (Site, bool) {
	info := v.in.TypesInfo
	for {
		parent := c.Parent()
		kind, _ := c.ParentEdge()
		switch p := parent.Node().(type) {
		case *ast.ParenExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
		case *ast.IndexExpr:
			if kind == edge.IndexExpr_Index {
				return Site{}, false
			}
		case *ast.UnaryExpr:
			if p.Op == token.AND && surface.Is(info.TypeOf(p.X), "Group") {
				return Site{Kind: Store}, true
			}
		case *ast.KeyValueExpr:
		case *ast.CompositeLit:
			t := info.TypeOf(p)
			if surface.Is(t, "Library") {
				return Site{}, false
			}
			if !handles(t) {
				return stored(v)
			}
		case *ast.SelectorExpr:
			return called(v, parent, p)
		case *ast.CallExpr:
			if _, passes := through(v.in, p); !passes {
				return passed(v, p)
			}
		case *ast.AssignStmt:
			if kind == edge.AssignStmt_Lhs || assigned(v.in, p.Lhs, p.Rhs, c.Node()) {
				return Site{}, false
			}
			return stored(v)
		case *ast.ValueSpec:
			if handles(info.TypeOf(p.Names[0])) {
				return Site{}, false
			}
			return stored(v)
		case *ast.ReturnStmt:
			if _, made := v.Expr.(*ast.CallExpr); made {
				return Site{}, false
			}
			return Site{Kind: Return}, true
		case *ast.RangeStmt, *ast.BinaryExpr, *ast.ExprStmt, *ast.SwitchStmt, *ast.CaseClause:
			return Site{}, false
		default:
			return stored(v)
		}
		c = parent
	}
}

// stored is the use of a handle that goes where it is not followed by name. A handle that is made there is followed.
func stored(v value) (Site, bool) {
	_, made := v.Expr.(*ast.CallExpr)
	return Site{Kind: Store}, !made
}

// assigned reports whether a value is given to a variable, or to an element of one, in which handles are found again,
// or to a declaration.
func assigned(u *unit, lhs, rhs []ast.Expr, n ast.Node) bool {
	for i := range lhs {
		if len(lhs) == len(rhs) && rhs[i] != n {
			continue
		}
		to := ast.Unparen(lhs[i])
		if x, ok := to.(*ast.IndexExpr); ok {
			to = ast.Unparen(x.X)
		}
		if id, ok := to.(*ast.Ident); ok && (id.Name == "_" || handles(u.TypesInfo.TypeOf(id))) {
			return true
		}
		if sel, ok := to.(*ast.SelectorExpr); ok && surface.Is(u.TypesInfo.TypeOf(sel.X), "Library") {
			return true
		}
	}
	return false
}

// called is the use of a handle by one of its methods, called at once or kept for later.
func called(v value, c inspector.Cursor, sel *ast.SelectorExpr) (Site, bool) {
	fn, ok := v.in.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok {
		return Site{}, false
	}
	site, ok := ofMethod(fn)
	if call, called := c.Parent().Node().(*ast.CallExpr); called && call.Fun == sel {
		site.Name = nameIn(v, call)
	}
	return site, ok
}

// ofMethod is the use of a handle by a method, which is none for Name.
func ofMethod(fn *types.Func) (Site, bool) {
	switch f := surface.Of(fn); {
	case f.Recv != "Group" || f.Name == "Name":
		return Site{}, false
	case f.Name == "Enabled":
		return Site{Kind: Check, Call: f.Name}, true
	default:
		return Site{Kind: Start, Call: f.Name}, true
	}
}

// passed is the use of a handle as an argument.
func passed(v value, call *ast.CallExpr) (Site, bool) {
	if tv := v.in.TypesInfo.Types[call.Fun]; tv.IsBuiltin() {
		return Site{}, false // len, cap, delete
	}
	fn := v.in.lens.Callee(call)
	if fn == nil {
		return Site{Kind: Pass, Call: types.ExprString(call.Fun), Name: nameIn(v, call)}, true
	}
	switch f := surface.Of(fn); {
	case f.Name == "Wrap":
		return Site{Kind: Start, Call: f.Name, Name: nameIn(v, call)}, true
	case f.Recv == "Group": // a method expression
		site, ok := ofMethod(fn)
		site.Name = nameIn(v, call)
		return site, ok
	}
	return Site{Kind: Pass, Call: functionName(fn), Name: nameIn(v, call)}, true
}

// nameIn gives the constant string among the arguments of a call, if there is one only: the name of the span, most likely.
func nameIn(v value, call *ast.CallExpr) (name string) {
	for _, arg := range call.Args {
		text := constantOf(v.with(arg))
		if text != "" && name != "" {
			return ""
		}
		name += text
	}
	return name
}

// enclosing names the function that the cursor is in; empty at the package level.
func enclosing(u *unit, c inspector.Cursor) string {
	for c := range c.Enclosing((*ast.FuncDecl)(nil)) {
		if fn, ok := u.TypesInfo.Defs[c.Node().(*ast.FuncDecl).Name].(*types.Func); ok {
			return functionName(fn)
		}
	}
	return ""
}

// functionName is short, and as stack traces have it: train.Run, train.(*Trainer).Step.
func functionName(fn *types.Func) string {
	var b strings.Builder
	if fn.Pkg() != nil {
		b.WriteString(fn.Pkg().Name() + ".")
	}
	if recv := fn.Signature().Recv(); recv != nil {
		if named := surface.Named(recv.Type()); named != nil {
			name := named.Obj().Name()
			if _, pointer := types.Unalias(recv.Type()).(*types.Pointer); pointer {
				name = "(*" + name + ")"
			}
			b.WriteString(name + ".")
		}
	}
	b.WriteString(fn.Name())
	return b.String()
}
