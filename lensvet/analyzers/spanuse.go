package analyzers

import (
	"go/ast"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// useKind is what happens to a span where a variable that holds it is named.
type useKind uint8

const (
	useEscapes useKind = iota // it goes elsewhere: nothing can be said about it any more
	useWrites                 // something is set on it, or asked of it
	useEnds                   // End, EndAt or EndErr
	useSet                    // the variable is given another span
)

// use is one place that names a variable.
type use struct {
	kind   useKind
	at     inspector.Cursor // the name
	call   inspector.Cursor // the call that ends the span
	method string           // that ends it
	nested bool             // in a function literal inside the function that was asked about
}

// deferred reports whether the call is deferred as it is.
func (u use) deferred() bool { return u.call.Valid() && u.call.ParentEdgeKind() == edge.DeferStmt_Call }

// statement reports whether the call stands alone as a statement.
func (u use) statement() bool { return u.call.Valid() && u.call.ParentEdgeKind() == edge.ExprStmt_X }

// uses yields the places inside fn that name the variable, less the one that declares it.
func (u *unit) uses(fn inspector.Cursor, v *types.Var) iter.Seq[use] {
	return func(yield func(use) bool) {
		for at := range fn.Preorder((*ast.Ident)(nil)) {
			if u.info.Uses[at.Node().(*ast.Ident)] != v {
				continue
			}
			use := u.use(at)
			inner, _ := function(at)
			use.nested = inner != fn
			if !yield(use) {
				return
			}
		}
	}
}

// use says what happens to the span that is named at a place, along a chain of setters.
func (u *unit) use(name inspector.Cursor) use {
	result := use{kind: useEscapes, at: name}
	if name.ParentEdgeKind() == edge.AssignStmt_Lhs {
		result.kind = useSet
		return result
	}
	at := name
	for {
		for at.ParentEdgeKind() == edge.ParenExpr_X {
			at = at.Parent()
		}
		call, method := u.spanCall(at)
		switch method {
		case "":
			return result
		case "End", "EndAt", "EndErr":
			result.kind, result.call, result.method = useEnds, call, method
			return result
		case "Recording", "Ref", "Event", "Link", "SetName", "Ok", "Fail":
			result.kind = useWrites
			return result
		}
		if call.ParentEdgeKind() == edge.ExprStmt_X {
			result.kind = useWrites
			return result
		}
		at = call // a setter gives the span back
	}
}

// spanCall gives the call of a method of lens.Span on an expression, with the name of the method.
func (u *unit) spanCall(recv inspector.Cursor) (call inspector.Cursor, method string) {
	if recv.ParentEdgeKind() != edge.SelectorExpr_X || recv.Parent().ParentEdgeKind() != edge.CallExpr_Fun {
		return call, ""
	}
	fn, ok := u.info.Uses[recv.Parent().Node().(*ast.SelectorExpr).Sel].(*types.Func)
	if !ok {
		return call, ""
	}
	if f := surface.Of(fn); f.Recv == "Span" {
		return recv.Parent().Parent(), f.Name
	}
	return call, ""
}

// start is a call that starts a span, and where the span goes.
type start struct {
	call inspector.Cursor
	what string     // how to name the call to a person
	stmt ast.Node   // that takes the results: an assignment or a declaration; nil when nothing does
	span *ast.Ident // what the span is assigned to; nil when that is no plain name
	ctx  ast.Expr   // what the context is assigned to; nil when there is none
	fn   inspector.Cursor
}

// starts yields the calls in the package that start a span whose end is the caller's business.
func (u *unit) starts(k *knowledge) iter.Seq[start] {
	return func(yield func(start) bool) {
		for at := range u.each((*ast.CallExpr)(nil)) {
			call := at.Node().(*ast.CallExpr)
			index, ok := k.starts(u.Callee(call))
			if !ok {
				continue
			}
			fn, ok := function(at)
			if !ok {
				continue // at package level: the variable is everybody's
			}
			s := start{call: at, what: types.ExprString(call.Fun), fn: fn}
			s.taken(at, index, u)
			if !yield(s) {
				return
			}
		}
	}
}

// taken finds out where the results go.
func (s *start) taken(at inspector.Cursor, index int, u *unit) {
	for at.ParentEdgeKind() == edge.ParenExpr_X {
		at = at.Parent()
	}
	var names []ast.Expr
	switch parent := at.Parent().Node().(type) {
	case *ast.AssignStmt:
		if at.ParentEdgeKind() != edge.AssignStmt_Rhs {
			return
		}
		s.stmt, names = parent, parent.Lhs
		if len(parent.Lhs) == len(parent.Rhs) { // one result each
			names, index = parent.Lhs[at.ParentEdgeIndex():], 0
		}
	case *ast.ValueSpec:
		s.stmt = parent
		for _, name := range parent.Names {
			names = append(names, name)
		}
		if len(parent.Names) == len(parent.Values) {
			names, index = names[at.ParentEdgeIndex():], 0
		}
	}
	if index < len(names) {
		s.span, _ = names[index].(*ast.Ident)
	}
	if sig, ok := u.info.TypeOf(s.call.Node().(*ast.CallExpr).Fun).Underlying().(*types.Signature); ok && s.stmt != nil {
		for i := range sig.Results().Len() {
			if isContext(sig.Results().At(i).Type()) && i < len(names) && sig.Results().Len() > 1 {
				s.ctx = names[i]
				break
			}
		}
	}
}

// local gives the variable of the function that the span is assigned to; nil when it is anything else, such as a variable
// of an outer function, a field, or a named result, which the caller gets.
func (u *unit) local(s start) *types.Var {
	if s.span == nil {
		return nil
	}
	v, ok := u.info.ObjectOf(s.span).(*types.Var)
	if !ok || v.Kind() != types.LocalVar {
		return nil
	}
	b := body(s.fn)
	if b == nil || v.Pos() < b.Pos() || v.Pos() >= b.End() {
		return nil
	}
	return v
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Context" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context"
}

// rootVar gives the variable at the beginning of a chain of calls on a span.
func (u *unit) rootVar(call *ast.CallExpr) *types.Var {
	for {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		switch x := ast.Unparen(sel.X).(type) {
		case *ast.Ident:
			return u.Var(x)
		case *ast.CallExpr:
			if u.Call(x).Func.Recv != "Span" {
				return nil
			}
			call = x
		default:
			return nil
		}
	}
}
