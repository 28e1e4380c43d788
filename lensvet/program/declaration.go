package program

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// declaration is a call that makes a handle: of NewGroup, or of a function of the program that does nothing else.
type declaration struct {
	call     value
	names    []string // patterns
	source   string   // of the name
	registry string
	doc      string
	group    *Group
}

func (d *declaration) dynamic() bool {
	return len(d.names) != 1 || strings.Contains(d.names[0], anything)
}

// maker is a function of the program that returns what NewGroup, or another maker, makes of its parameters. A call of it
// counts as a call of NewGroup.
type maker struct {
	fn    *types.Func
	inner value // the call that it returns
}

// findMakers looks for functions whose every way out is the same call of NewGroup or of a maker.
func (r *reader) findMakers() {
	for more := true; more; {
		more = false
		for fn, returned := range r.results {
			if r.makers[fn] != nil || len(returned) != 1 || len(returned[0]) != 1 {
				continue
			}
			inner := returned[0][0]
			call, ok := ast.Unparen(inner.Expr).(*ast.CallExpr)
			if ok && fn.Signature().Params().Len() > 0 && r.makes(inner.in, call) && r.parametric(fn, inner, call) {
				r.makers[fn] = &maker{fn: fn, inner: inner.with(call)}
				more = true
			}
		}
	}
}

// makes reports whether a call makes a handle.
func (r *reader) makes(u *unit, call *ast.CallExpr) bool {
	fn := u.lens.Callee(call)
	return fn != nil && (surface.Of(fn).Name == "NewGroup" || r.makers[fn.Origin()] != nil)
}

// parametric reports whether the arguments of a call speak of the function's parameters; a name that does not is a group
// of its own.
func (r *reader) parametric(fn *types.Func, inner value, call *ast.CallExpr) bool {
	found := false
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v := variable(inner.in, id); v != nil && r.params[v] {
					for p := range fn.Signature().Params().Variables() {
						found = found || p == v
					}
				}
			}
			return true
		})
	}
	return found
}

// declare finds every call that makes a handle. What a maker calls is a template and makes none.
func (r *reader) declare() {
	r.findMakers()
	template := map[ast.Expr]bool{}
	for _, m := range r.makers {
		template[m.inner.Expr] = true
	}
	docs := newComments(r.units)
	for call := range r.calls() {
		c := call.Expr.(*ast.CallExpr)
		if template[c] || !r.makes(call.in, c) {
			continue
		}
		d := &declaration{call: call, names: r.made(call, nil), registry: r.registryOfCall(call), doc: docs.of(call)}
		if len(c.Args) > 0 {
			d.source = types.ExprString(c.Args[0])
		}
		r.declared[c] = d
		r.declarations = append(r.declarations, d)
	}
}

// made gives the names of the handles that a call makes.
func (r *reader) made(call value, b *binding) []string {
	c := call.Expr.(*ast.CallExpr)
	fn := call.in.lens.Callee(c)
	if m := r.makers[fn.Origin()]; m != nil {
		params := m.fn.Signature().Params()
		args := map[*types.Var]value{}
		for i := range min(params.Len(), len(c.Args)) {
			args[params.At(i)] = call.with(c.Args[i])
		}
		return r.made(m.inner, &binding{args: args, outer: b})
	}
	if args := call.in.lens.Call(c).Args; len(args) == 1 {
		return r.namesIn(call.with(args[0]), b, new(int))
	}
	return []string{anything}
}

// registryOfCall says in which registry a call makes a handle, or registers.
func (r *reader) registryOfCall(call value) string {
	c := call.Expr.(*ast.CallExpr)
	fn := call.in.lens.Callee(c)
	if m := r.makers[fn.Origin()]; m != nil {
		return r.registryOfCall(m.inner)
	}
	recv := call.in.lens.Call(c).Recv
	if surface.Of(fn).Recv == "" {
		return ""
	}
	if recv == nil {
		return unknownRegistry
	}
	return r.registry(call.with(recv))
}

// What a registry is called that is none of one call of NewRegistry.
const (
	defaultRegistry = "the default registry"
	unknownRegistry = "a registry of the caller's"
)

// registry says which registry a value is: empty for the default one, else where it was made. It may be one of several.
func (r *reader) registry(v value) string {
	var labels []string
	for _, from := range r.origins(v) {
		label := unknownRegistry
		if call, ok := from.Expr.(*ast.CallExpr); ok {
			switch surface.Of(from.in.lens.Callee(call)) {
			case surface.Func{Name: "Default"}:
				label = ""
			case surface.Func{Name: "NewRegistry"}:
				label = r.at(from).String()
			}
		}
		labels = append(labels, label)
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	switch {
	case len(labels) == 0:
		return unknownRegistry
	case len(labels) == 1:
		return labels[0]
	case labels[0] == "":
		labels[0] = defaultRegistry
	}
	return strings.Join(labels, ", ")
}

// intern gives each declaration its group: one for a name in a registry, as lens does. A dynamic name is a group of its own.
func (r *reader) intern() {
	groups := map[[2]string]*Group{}
	for _, d := range r.declarations {
		key := [2]string{d.registry, strings.Join(d.names, "|")}
		if d.dynamic() {
			key[1] += " " + r.at(d.call).String()
		}
		g := groups[key]
		if g == nil {
			g = &Group{Name: strings.Join(d.names, "|"), Registry: d.registry, Dynamic: d.dynamic(), Namespaces: []string{}, Perhaps: []string{}, Sites: []Site{}}
			if g.Dynamic {
				g.Source = d.source
			}
			groups[key] = g
			r.groups = append(r.groups, g)
		}
		d.group = g
		g.Declared = append(g.Declared, Declaration{Position: r.at(d.call), Doc: d.doc})
		r.patterns[g] = d.names
	}
}
