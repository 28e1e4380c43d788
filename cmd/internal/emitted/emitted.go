// Package emitted finds in source code, without running it, the names that a program gives to spans, events, attributes, metrics and
// instrumentation scopes, so that a test can compare them with the table of names (package conventions).
//
//	names, err := emitted.Find(ctx, root, "./...")
//	for _, n := range names { ... }
//
// A name counts where it is handed to lens, to the OpenTelemetry API or to package metrics ([Name.Call]). It is followed back from there
// to the texts that it can be: through constants, variables, fields, parameters, results of functions, maps and lists. Order does
// not count: a variable has every text that is ever assigned to it. What is left is a part that only the running program knows, for
// which the name has a [conventions.Hole].
package emitted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Name is a name that code gives to something.
type Name struct {
	Kind string // conventions.SpanName and its like
	Text string // with holes
	Type string // of an attribute: string, int, double, boolean, string[]; "" where it is not known, or goes with a key that is picked

	Call     string // what it is handed to
	Func     string // the function that hands it on; empty at the package level
	Package  string // of that function
	Position string // where it is handed on: file:line, below the folder of Find
	Origin   string // where the text stands; the same for one that is not known
}

// Find reads the packages that the patterns name, as the go command in dir understands them, without their tests, and returns
// every name, sorted. A package that does not compile is an error.
func Find(ctx context.Context, dir string, patterns ...string) ([]Name, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", strings.Join(patterns, " "), err)
	}
	config := &packages.Config{Context: ctx, Dir: dir, Fset: token.NewFileSet(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedExportFile}
	found, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", strings.Join(patterns, " "), err)
	}
	var errs []error
	for _, p := range found {
		for _, e := range p.Errors {
			errs = append(errs, fmt.Errorf("cannot read %s: %w", p.PkgPath, e))
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	r := &reader{dir: dir, set: config.Fset, flow: newFlow(config.Fset, found)}
	for _, p := range found {
		for _, file := range p.Syntax {
			r.read(p, file)
		}
	}
	slices.SortFunc(r.names, func(a, b Name) int {
		return cmp.Or(strings.Compare(a.Position, b.Position), strings.Compare(a.Call, b.Call), strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(r.names), nil
}

// reader collects the names of packages.
type reader struct {
	*flow
	dir   string
	set   *token.FileSet
	names []Name
}

// read looks for what names are handed to: calls, and literals of structs that are names or have them.
func (r *reader) read(p *packages.Package, file *ast.File) {
	var in []string // functions around
	var walk func(ast.Node) bool
	walk = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			in = append(in, functionName(p, n))
			if n.Body != nil {
				ast.Inspect(n.Body, walk)
			}
			in = in[:len(in)-1]
			return false
		case *ast.CallExpr:
			r.call(p, n, last(in))
		case *ast.CompositeLit:
			r.literal(p, n, last(in))
		}
		return true
	}
	ast.Inspect(file, walk)
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// functionName is short: Load, (*Client).Do.
func functionName(p *packages.Package, n *ast.FuncDecl) string {
	fn, ok := p.TypesInfo.Defs[n.Name].(*types.Func)
	if !ok {
		return n.Name.Name
	}
	if recv := fn.Signature().Recv(); recv != nil {
		return "(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")." + fn.Name()
	}
	return fn.Name()
}

func (r *reader) call(p *packages.Package, call *ast.CallExpr, in string) {
	fn := callee(p.TypesInfo, call)
	if fn == nil {
		return
	}
	if key, official := officialKey(fn); official {
		r.names = append(r.names, Name{Kind: attribute.kind, Text: key, Call: short(fn), Func: in, Package: p.PkgPath,
			Position: r.position(call.Pos()), Origin: r.position(call.Pos())})
		return
	}
	for _, s := range sinks[fn.FullName()] {
		var e ast.Expr
		switch sel, isMethod := ast.Unparen(call.Fun).(*ast.SelectorExpr); {
		case s.at == receiver && isMethod:
			e = sel.X
		case s.at >= 0 && s.at < len(call.Args):
			e = call.Args[s.at]
		default:
			continue
		}
		r.add(p, e, s, short(fn), in)
	}
}

func (r *reader) literal(p *packages.Package, lit *ast.CompositeLit, in string) {
	t := p.TypesInfo.TypeOf(lit)
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return
	}
	path := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	for _, s := range fieldSinks[path] {
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && id.Name == s.field {
					r.add(p, kv.Value, s.sink, named.Obj().Pkg().Name()+"."+named.Obj().Name(), in)
				}
			} else if st, ok := named.Underlying().(*types.Struct); ok && st.Field(i).Name() == s.field {
				r.add(p, elt, s.sink, named.Obj().Pkg().Name()+"."+named.Obj().Name(), in)
			}
		}
	}
}

// add notes what an expression can be. A name that is the parameter of a function which is looked at wherever it is called says nothing
// new.
func (r *reader) add(p *packages.Package, e ast.Expr, s sink, call, in string) {
	if r.handedOn(p, e, s) {
		return
	}
	for _, text := range r.texts(value{e, p.TypesInfo, whole}) {
		typ := s.typ
		if text.picked {
			typ = ""
		}
		r.names = append(r.names, Name{Kind: s.kind, Text: text.string, Type: typ, Call: call, Func: in, Package: p.PkgPath,
			Position: r.position(e.Pos()), Origin: r.position(cmp.Or(text.pos, e.Pos()))})
	}
}

// handedOn reports whether an expression is the parameter, or a field of what is made of the parameters, of a sink.
func (r *reader) handedOn(p *packages.Package, e ast.Expr, s sink) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	at, ok := r.parameters[r.key(p.TypesInfo.ObjectOf(id))]
	if !ok || at.name == "" {
		return false
	}
	return slices.ContainsFunc(sinks[at.name], func(other sink) bool { return other.at == at.index && other.kind == s.kind })
}

func (r *reader) position(pos token.Pos) string {
	at := r.set.Position(pos)
	if rel, err := filepath.Rel(r.dir, at.Filename); err == nil {
		at.Filename = filepath.ToSlash(rel)
	}
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// short is a function as a reader writes it: lens.Str, Span.Str.
func short(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Pkg().Name() + "." + fn.Name()
	}
	t := recv.Type()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Name() }) + "." + fn.Name()
}
