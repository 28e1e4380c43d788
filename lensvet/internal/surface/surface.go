// Package surface knows the exported surface of package lens as a type checker sees it: which call in a source file is
// which function of lens. It goes by objects and not by names, so it sees through renamed and dot imports, aliases of
// types, embedded handles, method values and method expressions.
package surface

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// Path is the import path of package lens.
const Path = "github.com/lensgo/lens"

// Func names a function or method of package lens. The zero Func is none.
type Func struct {
	Recv string // "Group", "Registry", "Span" or another type; empty for a function
	Name string
}

// Of names fn, if it is declared in package lens.
func Of(fn *types.Func) Func {
	if fn == nil || fn.Pkg() == nil || !isLens(fn.Pkg().Path()) {
		return Func{}
	}
	f := Func{Name: fn.Name()}
	if recv := fn.Signature().Recv(); recv != nil {
		named := Named(recv.Type())
		if named == nil {
			return Func{}
		}
		f.Recv = named.Obj().Name()
	}
	return f
}

// Callee gives the function or method that a call calls, whichever package it is of, and nil when the source does not
// tell. A variable that is set once, where it is declared, stands for what it is set to.
func (s *Source) Callee(call *ast.CallExpr) *types.Func {
	return s.callee(call).fn
}

// Call is a call with what the type checker knows of it.
type Call struct {
	*ast.CallExpr
	Func Func       // of package lens; zero for others
	Recv ast.Expr   // what the method is called on; nil for a function, and for a method value that was made elsewhere
	Args []ast.Expr // without the receiver of a method expression
}

// Call names what a call calls.
func (s *Source) Call(call *ast.CallExpr) Call {
	c := s.callee(call)
	args := call.Args
	if c.expr && len(args) > 0 {
		c.recv, args = args[0], args[1:]
	}
	return Call{CallExpr: call, Func: Of(c.fn), Recv: c.recv, Args: args}
}

// callee is what stands where a function is called.
type callee struct {
	fn   *types.Func
	recv ast.Expr
	expr bool // a method expression: the receiver is the first argument
}

func (s *Source) callee(call *ast.CallExpr) callee {
	if fn, ok := typeutil.Callee(s.info, call).(*types.Func); ok {
		return s.function(ast.Unparen(call.Fun), fn)
	}
	value := s.Value(call.Fun)
	if value == nil || value == ast.Unparen(call.Fun) {
		return callee{}
	}
	if index, ok := value.(*ast.IndexExpr); ok && index.Index == nil {
		return callee{} // any element
	}
	// The value is looked up as if it were called where it stands.
	fn, ok := typeutil.Callee(s.info, &ast.CallExpr{Fun: value}).(*types.Func)
	if !ok {
		return callee{}
	}
	return s.function(ast.Unparen(value), fn)
}

func (s *Source) function(expr ast.Expr, fn *types.Func) callee {
	c := callee{fn: fn}
	sel, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return c
	}
	switch selection := s.info.Selections[sel]; {
	case selection == nil:
	case selection.Kind() == types.MethodExpr:
		c.expr = true
	default:
		c.recv = sel.X
	}
	return c
}

// Is reports whether t, or what it points to, is the named type of package lens.
func Is(t types.Type, name string) bool {
	named := Named(t)
	return named != nil && named.Obj().Name() == name && named.Obj().Pkg() != nil && isLens(named.Obj().Pkg().Path())
}

// Named gives the named type that t is or points to, and nil for others.
func Named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// isLens also takes the copy in a vendor folder of a GOPATH tree.
func isLens(path string) bool { return path == Path || strings.HasSuffix(path, "/vendor/"+Path) }
