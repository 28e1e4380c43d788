package program

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// registration is a library that is registered.
type registration struct {
	Library
	at      value // the call
	presets map[string][]member
	groups  []*Group
}

// register finds every call of Register, and what it registers.
func (r *reader) register() {
	seen := map[any]bool{}
	for call := range r.calls() {
		c := call.in.lens.Call(call.Expr.(*ast.CallExpr))
		if c.Func.Name != "Register" && c.Func.Name != "MustRegister" || len(c.Args) != 1 {
			continue
		}
		registry := r.registryOfCall(call)
		for _, from := range r.origins(call.with(c.Args[0])) {
			if id := identity(from); !seen[id] {
				seen[id] = true
				r.registrations = append(r.registrations, r.library(from, call, registry))
			}
		}
	}
	for _, reg := range r.registrations {
		for _, g := range reg.groups {
			if !slices.Contains(g.Namespaces, reg.Namespace) {
				g.Namespaces = append(g.Namespaces, reg.Namespace)
			}
		}
	}
}

// identity tells values apart of which several expressions may speak.
func identity(v value) any {
	if at := variable(v.in, v.Expr); at != nil {
		return at
	}
	return v.Expr
}

// library reads one declaration.
func (r *reader) library(lib, call value, registry string) *registration {
	reg := &registration{at: call, presets: map[string][]member{}}
	reg.Library = Library{Namespace: anything, Registry: registry, Position: r.at(call), Groups: []string{}, Presets: []string{}}
	fields := r.fieldsOf(lib)
	if len(fields) == 0 {
		reg.Opaque = true
	}
	for _, v := range fields["Namespace"] {
		// A namespace is kept as written, unlike other names.
		if text := constantOf(v); text != "" {
			reg.Namespace = text
		} else {
			reg.Namespace = strings.Join(r.names(v), "|")
		}
	}
	for _, v := range fields["Version"] {
		reg.Version = constantOf(v)
	}
	for _, v := range fields["Groups"] {
		r.addGroups(reg, v)
	}
	for _, v := range fields["Presets"] {
		for _, from := range r.origins(v) {
			r.addPresets(reg, from)
		}
	}
	reg.Presets = append(reg.Presets, slices.Sorted(maps.Keys(reg.presets))...)
	slices.Sort(reg.Groups)
	return reg
}

// fieldsOf gives what the fields of a declaration are set to, in its literal and later on.
func (r *reader) fieldsOf(lib value) map[string][]value {
	fields := map[string][]value{}
	if lit, ok := lib.Expr.(*ast.CompositeLit); ok {
		st, _ := lib.typ().Underlying().(*types.Struct)
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					fields[id.Name] = append(fields[id.Name], lib.with(kv.Value))
				}
			} else if st != nil && i < st.NumFields() {
				name := st.Field(i).Name()
				fields[name] = append(fields[name], lib.with(elt))
			}
		}
	}
	for _, in := range r.insideOf(lib) {
		if in.field != "" {
			fields[in.field] = append(fields[in.field], in.value)
		}
	}
	return fields
}

// insideOf gives what is put into a value after it was made.
func (r *reader) insideOf(v value) []inside {
	if r.contents == nil {
		r.contents = map[any][]inside{}
		for _, in := range r.inside {
			for _, from := range r.origins(in.of) {
				id := identity(from)
				r.contents[id] = append(r.contents[id], in)
			}
		}
	}
	return r.contents[identity(v)]
}

func (r *reader) addGroups(reg *registration, v value) {
	for _, from := range r.origins(v) {
		d := r.declared[from.Expr]
		switch {
		case d == nil:
			reg.Opaque = reg.Opaque || !isMake(from) && !isContainer(from)
		case !slices.Contains(reg.groups, d.group):
			reg.groups = append(reg.groups, d.group)
			reg.Groups = append(reg.Groups, d.group.Name)
		}
	}
}

// isContainer reports whether a value is a variable that is declared without a value, and filled elsewhere.
func isContainer(v value) bool {
	at := variable(v.in, v.Expr)
	return at != nil && !v.param && !surface.Is(at.Type(), "Group")
}

func (r *reader) addPresets(reg *registration, from value) {
	lit, ok := from.Expr.(*ast.CompositeLit)
	if !ok && !isMake(from) && !isContainer(from) {
		reg.Opaque = true
		return
	}
	if ok {
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				r.addPreset(reg, from.with(kv.Key), from.with(kv.Value))
			}
		}
	}
	for _, in := range r.insideOf(from) {
		if in.key != nil {
			r.addPreset(reg, in.of.with(in.key), in.value)
		}
	}
}

func (r *reader) addPreset(reg *registration, name, list value) {
	members, whole := r.members(list)
	reg.Opaque = reg.Opaque || !whole
	for _, n := range r.names(name) {
		reg.presets[n] = append(reg.presets[n], members...)
	}
}
