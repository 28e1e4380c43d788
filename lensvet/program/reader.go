package program

import (
	"cmp"
	"go/ast"
	"iter"
	"slices"
	"strings"

	"github.com/lensgo/lens/lensvet/internal/directive"
	"github.com/lensgo/lens/lensvet/internal/surface"
)

// reader makes a Program of packages.
type reader struct {
	*loader
	*flow
	units         []*unit
	declared      map[ast.Expr]*declaration // by the call
	declarations  []*declaration
	patterns      map[*Group][]string
	groups        []*Group
	registrations []*registration
	contents      map[any][]inside // by what they are inside of; nil until somebody asks
}

func newReader(l *loader) *reader {
	r := &reader{loader: l, declared: map[ast.Expr]*declaration{}, patterns: map[*Group][]string{}}
	for _, p := range l.units {
		if p.TypesInfo != nil {
			r.units = append(r.units, &unit{
				Package: p,
				lens:    surface.NewSource(p.TypesInfo, p.Syntax),
				silent:  directive.Read(l.config.Fset, p.Syntax),
				root:    l.roots[p.PkgPath],
			})
		}
	}
	r.flow = newFlow(r.units)
	return r
}

func (r *reader) program(patterns []string) *Program {
	r.declare()
	r.intern()
	r.register()
	r.use()
	p := &Program{Patterns: patterns, Libraries: []Library{}, Groups: []Group{}, Presets: r.unions(), Problems: r.problems}
	if p.Problems == nil {
		p.Problems = []Problem{}
	}
	for _, reg := range r.registrations {
		p.Libraries = append(p.Libraries, reg.Library)
	}
	for _, g := range r.groups {
		slices.SortFunc(g.Declared, func(a, b Declaration) int { return a.Position.compare(b.Position) })
		slices.SortFunc(g.Sites, func(a, b Site) int { return a.Position.compare(b.Position) })
		slices.Sort(g.Namespaces)
		if !g.Registered() && !g.Dynamic {
			g.Perhaps = append(g.Perhaps, r.live(g.Name, g.Registry)...)
		}
		p.Groups = append(p.Groups, *g)
	}
	slices.SortFunc(p.Libraries, func(a, b Library) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), a.Position.compare(b.Position))
	})
	slices.SortFunc(p.Groups, func(a, b Group) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Registry, b.Registry), a.Declared[0].compare(b.Declared[0].Position))
	})
	p.findings = r.findings()
	return p
}

// calls are all calls in all units.
func (r *reader) calls() iter.Seq[value] {
	return func(yield func(value) bool) {
		for _, u := range r.units {
			for _, file := range u.Syntax {
				more := true
				ast.Inspect(file, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok && more {
						more = yield(value{Expr: call, in: u})
					}
					return more
				})
				if !more {
					return
				}
			}
		}
	}
}

// at gives where a value stands.
func (r *reader) at(v value) Position { return r.position(v.in.Package, v.Pos()) }

// unions puts together the presets of one name.
func (r *reader) unions() []Preset {
	presets := map[[2]string]*Preset{}
	for _, reg := range r.registrations {
		for name, members := range reg.presets {
			key := [2]string{name, reg.Registry}
			p := presets[key]
			if p == nil {
				p = &Preset{Name: name, Registry: reg.Registry, Namespaces: []string{}, Groups: []string{}, Absent: []string{}}
				presets[key] = p
			}
			p.Namespaces = append(p.Namespaces, reg.Namespace)
			for _, m := range members {
				groups := r.live(m.name, reg.Registry)
				switch {
				case m.name == anything:
					p.Opaque = true
				case len(groups) > 0:
					p.Groups = append(p.Groups, groups...)
				default:
					p.Absent = append(p.Absent, m.name)
				}
			}
		}
	}
	out := []Preset{}
	for _, p := range presets {
		for _, list := range []*[]string{&p.Namespaces, &p.Groups, &p.Absent} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Preset) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Registry, b.Registry))
	})
	return out
}

// live gives the names of the registered groups that a member of a preset can be. Either of the two may be a pattern.
func (r *reader) live(member, registry string) (names []string) {
	for _, g := range r.groups {
		if g.Registered() && g.Registry == registry && slices.ContainsFunc(r.patterns[g], func(p string) bool {
			return fits(p, member) || fits(member, p)
		}) {
			names = append(names, g.Name)
		}
	}
	return names
}

func (p Position) compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), p.Line-q.Line, p.Column-q.Column)
}
