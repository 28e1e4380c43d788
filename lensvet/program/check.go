package program

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Categories of findings.
const (
	Unused       = "unused"       // a registered group that nothing in the build uses
	Unregistered = "unregistered" // a group that no library lists: it is off, whatever the spec says
	Absent       = "absent"       // a member of a preset that nobody in the build registers
)

// Finding is something to mend, or to know.
type Finding struct {
	Category string   `json:"category"`
	Position Position `json:"position"`
	Message  string   `json:"message"`
	Note     bool     `json:"note"` // it may well be meant
}

// String gives the finding as one line, as compilers do.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s [%s]", f.Position.File, f.Position.Line, f.Position.Column, f.Message, f.Category)
}

// Check says what no package shows by itself: registered groups that nothing uses, used groups that nobody registers,
// members of presets that nobody registers. Only what stands in the packages that the patterns named is reported, sorted by
// position; what these import is looked at, and left alone. It says nothing about a program with
// problems, where what seems to be missing may be in what could not be read. Name the whole module, ./..., or groups will seem unused whose
// call sites are in the packages left out. A comment silences a finding on its line, or on the line below:
//
//	//lensvet:ignore unused its call sites are in the plugin
func (p *Program) Check() []Finding { return slices.Clone(p.findings) }

func (r *reader) findings() []Finding {
	var found []Finding
	if len(r.problems) > 0 {
		return nil
	}
	for _, g := range r.groups {
		found = append(found, r.findingsOf(g)...)
	}
	for _, reg := range r.registrations {
		found = append(found, r.absent(reg)...)
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(a.Position.compare(b.Position), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(found)
}

// findingsOf judges a group, at the place in a named package where it is made.
func (r *reader) findingsOf(g *Group) []Finding {
	i := slices.IndexFunc(r.declarations, func(d *declaration) bool { return d.group == g && d.call.in.root })
	if i < 0 {
		return nil
	}
	finding := func(category, format string, args ...any) []Finding {
		message := fmt.Sprintf("group %q "+format, append([]any{g.Name}, args...)...)
		return r.unlessSilenced(r.declarations[i].call, Finding{Category: category, Message: message})
	}
	switch {
	case g.Registered() && len(g.Sites) == 0:
		return finding(Unused, "is registered under %q and nothing in this build uses it: a user who switches it on sees nothing", strings.Join(g.Namespaces, ", "))
	case g.Registered() || r.opaque(g.Registry) || r.perhaps(g):
		return nil
	case len(g.Sites) == 0:
		return finding(Unregistered, "is made and never used, and no library in this build registers it")
	}
	return finding(Unregistered, "is used and no library in this build registers it: it is always off; list it in Library.Groups")
}

// perhaps reports whether a group that no library lists may be one that a library does list: its name, or theirs, is known
// to the running program only.
func (r *reader) perhaps(g *Group) bool {
	return slices.ContainsFunc(r.patterns[g], func(p string) bool { return p == anything || len(r.live(p, g.Registry)) > 0 })
}

// unlessSilenced places a finding, unless a comment there silences it.
func (r *reader) unlessSilenced(v value, f Finding) []Finding {
	if v.in.silent.Ignores(r.config.Fset.Position(v.Pos()), f.Category) {
		return nil
	}
	f.Position = r.at(v)
	return []Finding{f}
}

// opaque reports whether a registry has a library of which the source does not show everything: what seems to be missing
// may be there.
func (r *reader) opaque(registry string) bool {
	return slices.ContainsFunc(r.registrations, func(reg *registration) bool { return reg.Registry == registry && reg.Opaque })
}

func (r *reader) absent(reg *registration) (found []Finding) {
	if r.opaque(reg.Registry) {
		return nil
	}
	for preset, members := range reg.presets {
		for _, m := range members {
			if m.at.in.root && m.name != anything && len(r.live(m.name, reg.Registry)) == 0 {
				found = append(found, r.unlessSilenced(m.at, Finding{
					Category: Absent,
					Message: fmt.Sprintf("preset %q names %q, which nobody in this build registers: it counts once somebody does", preset, m.name) +
						r.meant(m.name, reg.Registry),
					Note: true,
				})...)
			}
		}
	}
	return found
}

// meant asks for the registered groups whose names are nearly that one.
func (r *reader) meant(name, registry string) string {
	var groups []string
	for _, g := range r.groups {
		if g.Registered() && !g.Dynamic && g.Registry == registry {
			groups = append(groups, g.Name)
		}
	}
	if near := nearest(name, nil, groups); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return ""
}
