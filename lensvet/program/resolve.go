package program

import (
	"slices"
	"strings"

	"github.com/lensgo/lens/internal/typo"
)

// Resolution is what a spec comes to.
type Resolution struct {
	Spec    string   `json:"spec"`
	Entries []Entry  `json:"entries"` // in the order of the spec
	Enabled []string `json:"enabled"` // groups, sorted; patterns for dynamic ones
	Unknown []string `json:"unknown"` // entries that name nothing registered, as they stand in the spec, sorted
}

// Entry is one entry of a spec.
type Entry struct {
	Text    string    `json:"text"` // normalised, with its "-"
	Kind    EntryKind `json:"kind"`
	Groups  []string  `json:"groups"`         // that it switches on, or off
	Unused  []string  `json:"unused"`         // those of them that nothing in this build uses
	Absent  []string  `json:"absent"`         // members of the preset that nobody in this build registers
	Nearest []string  `json:"nearest"`        // names that may have been meant, the nearest first
	Made    *Position `json:"made,omitempty"` // where a handle with this name is made that no library lists
	Sites   int       `json:"sites"`          // places that use its groups
}

// EntryKind says what an entry names.
type EntryKind string

// The kinds of entries.
const (
	PresetEntry       EntryKind = "preset"
	GroupEntry        EntryKind = "group"
	DynamicEntry      EntryKind = "dynamic"      // perhaps a group, whose name only the running program knows
	UnregisteredEntry EntryKind = "unregistered" // a handle with this name is made, and no library lists it
	UnknownEntry      EntryKind = "unknown"
)

// all is the preset that every registry has.
const all = "all"

// Resolve says what a spec would switch on, as lens.Resolve does in the running program, and why. The libraries of every
// registry count: which one the program gives its spec to is not known from its source.
func (p *Program) Resolve(spec string) Resolution {
	out := Resolution{Spec: spec, Entries: []Entry{}, Enabled: []string{}, Unknown: []string{}}
	on := map[string]bool{}
	for text := range strings.SplitSeq(spec, ",") {
		text = normalise(text)
		if text == "" {
			continue
		}
		e := p.entry(text)
		out.Entries = append(out.Entries, e)
		if e.Kind == UnknownEntry || e.Kind == UnregisteredEntry {
			out.Unknown = append(out.Unknown, text)
		}
		minus := strings.HasPrefix(text, "-")
		for _, g := range e.Groups {
			switch {
			case !minus:
				on[g] = true
			case e.Kind != DynamicEntry: // one name of a pattern leaves the others
				delete(on, g)
			}
		}
	}
	for g := range on {
		out.Enabled = append(out.Enabled, g)
	}
	slices.Sort(out.Enabled)
	slices.Sort(out.Unknown)
	out.Unknown = slices.Compact(out.Unknown)
	return out
}

// entry reads one entry of a spec: a preset, before a group, before what may be a group.
func (p *Program) entry(text string) Entry {
	name := strings.TrimSpace(strings.TrimPrefix(text, "-"))
	e := Entry{Text: text, Kind: UnknownEntry, Groups: []string{}, Unused: []string{}, Absent: []string{}, Nearest: []string{}}
	presets, groups := p.vocabulary()
	if members, ok := presets[name]; ok {
		e.Kind, e.Groups, e.Absent = PresetEntry, members, p.absent(name)
	} else if slices.Contains(groups, name) {
		e.Kind, e.Groups = GroupEntry, []string{name}
	} else if dynamic := p.perhaps(name); len(dynamic) > 0 {
		e.Kind, e.Groups = DynamicEntry, dynamic
	} else {
		e.Nearest = nearest(name, presets, groups)
		for _, g := range p.Groups {
			if g.Name == name && e.Made == nil {
				e.Kind, e.Made = UnregisteredEntry, &g.Declared[0].Position
			}
		}
	}
	for _, name := range e.Groups {
		n := p.sites(name)
		e.Sites += n
		if n == 0 {
			e.Unused = append(e.Unused, name)
		}
	}
	return e
}

// absent lists the members of a preset that nobody registers.
func (p *Program) absent(preset string) []string {
	absent := []string{}
	for _, x := range p.Presets {
		if x.Name == preset {
			absent = append(absent, x.Absent...)
		}
	}
	return absent
}

// vocabulary is what a spec can name for certain: presets, "all" among them, and registered groups.
func (p *Program) vocabulary() (presets map[string][]string, groups []string) {
	groups = []string{}
	for _, g := range p.Groups {
		if g.Registered() {
			groups = append(groups, g.Name)
		}
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	presets = map[string][]string{all: groups}
	for _, preset := range p.Presets {
		members := append(append([]string{}, presets[preset.Name]...), preset.Groups...)
		slices.Sort(members)
		presets[preset.Name] = slices.Compact(members)
	}
	return presets, groups
}

// perhaps gives the registered dynamic groups that can have a name.
func (p *Program) perhaps(name string) (out []string) {
	for _, g := range p.Groups {
		if g.Registered() && g.Dynamic && slices.ContainsFunc(strings.Split(g.Name, "|"), func(pattern string) bool { return fits(pattern, name) }) {
			out = append(out, g.Name)
		}
	}
	return slices.Compact(out)
}

// sites counts the places that use the groups of a name.
func (p *Program) sites(name string) (n int) {
	for _, g := range p.Groups {
		if g.Name == name && g.Registered() {
			n += len(g.Sites)
		}
	}
	return n
}

// nearest gives up to three names that few edits lead to, for the length of the name; the running program offers the first.
func nearest(name string, presets map[string][]string, groups []string) []string {
	candidates := slices.Clone(groups)
	for preset := range presets {
		if !slices.Contains(candidates, preset) {
			candidates = append(candidates, preset)
		}
	}
	most := max(1, min(3, len(name)/3))
	far := map[string]int{}
	for _, c := range candidates {
		far[c] = typo.Distance(name, c)
	}
	candidates = slices.DeleteFunc(candidates, func(c string) bool { return far[c] > most })
	slices.SortFunc(candidates, func(a, b string) int {
		if far[a] != far[b] {
			return far[a] - far[b]
		}
		return strings.Compare(a, b)
	})
	return candidates[:min(3, len(candidates))]
}
