package analyzers

import (
	"go/ast"
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// nameKind says what a name is the name of.
type nameKind string

const (
	groupName  nameKind = "group"
	presetName nameKind = "preset"
	memberName nameKind = "preset member"
)

// declared is a constant name in the source.
type declared struct {
	kind nameKind
	expr ast.Expr
	text string
}

// declaredNames yields the constant names of groups and presets that the package declares.
func (u *unit) declaredNames() func(yield func(declared) bool) {
	return func(yield func(declared) bool) {
		for _, site := range u.calls {
			if site.Func.Name == "NewGroup" && len(site.Args) == 1 {
				if text, ok := u.String(site.Args[0]); ok && !yield(declared{groupName, site.Args[0], text}) {
					return
				}
			}
		}
		for _, p := range u.presets() {
			for _, name := range p.names(u) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// preset is an entry of a lens.Presets in the source.
type preset struct{ key, members ast.Expr }

func (p preset) names(u *unit) (out []declared) {
	if text, ok := u.String(p.key); ok {
		out = append(out, declared{presetName, p.key, text})
	}
	if lit, ok := ast.Unparen(p.members).(*ast.CompositeLit); ok {
		for _, member := range lit.Elts {
			if text, ok := u.String(member); ok {
				out = append(out, declared{memberName, member, text})
			}
		}
	}
	return out
}

// presets gives the entries of all presets: of literals of the type, of what is given to the field of a Library, and those
// that are set one by one.
func (u *unit) presets() (out []preset) {
	for at := range u.each((*ast.CompositeLit)(nil), (*ast.AssignStmt)(nil)) {
		switch n := at.Node().(type) {
		case *ast.CompositeLit:
			if u.isPresets(at) {
				out = append(out, entries(n)...)
			}
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				index, ok := lhs.(*ast.IndexExpr)
				if ok && len(n.Lhs) == len(n.Rhs) && surface.Is(u.info.TypeOf(index.X), "Presets") {
					out = append(out, preset{index.Index, n.Rhs[i]})
				}
			}
		}
	}
	return out
}

func entries(lit *ast.CompositeLit) (out []preset) {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			out = append(out, preset{kv.Key, kv.Value})
		}
	}
	return out
}

// isPresets reports whether a literal is of type lens.Presets, or a plain map that a Library takes as such.
func (u *unit) isPresets(lit inspector.Cursor) bool {
	if surface.Is(u.info.TypeOf(lit.Node().(ast.Expr)), "Presets") {
		return true
	}
	if lit.ParentEdgeKind() != edge.KeyValueExpr_Value {
		return false
	}
	field := u.Field(lit.Parent().Node().(*ast.KeyValueExpr).Key)
	return field != nil && surface.Is(field.Type(), "Presets")
}

// normal is what lens makes of a name.
func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// fault says why lens refuses a name, after it has been made normal; empty when it does not.
func fault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case name == "all":
		return `"all" stands for every group`
	case name[0] == '-', name[0] == '+':
		return "it begins with " + name[:1] + ", which is of the grammar of specs"
	}
	for _, r := range name {
		switch {
		case strings.ContainsRune(",=@:*", r):
			return "it holds " + string(r) + ", which is of the grammar of specs"
		case unicode.IsSpace(r):
			return "it holds a blank"
		case unicode.IsControl(r):
			return "it holds a control character"
		}
	}
	return ""
}

// declaredVar gives the package variable that a call of NewGroup is assigned to.
func (u *unit) declaredVar(at inspector.Cursor) *types.Var {
	spec, ok := at.Parent().Node().(*ast.ValueSpec)
	if !ok || len(spec.Names) != len(spec.Values) || at.ParentEdgeKind() != edge.ValueSpec_Values {
		return nil
	}
	v, _ := u.info.Defs[spec.Names[at.ParentEdgeIndex()]].(*types.Var)
	if v == nil || v.Kind() != types.PackageVar {
		return nil
	}
	return v
}
