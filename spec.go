package lens

import (
	"slices"
	"strings"
)

// State is what a registry holds at one moment. Everything in it is a copy; no slice or map is nil, and slices are
// sorted.
type State struct {
	// Generation counts the switches: every SetSpec, SetSpecIf that took effect, and Pin. A registration is no switch
	// and does not move it, so that a spec lent for a while can be taken back after a library came late.
	Generation uint64
	Spec       string   // as given; empty when pinned
	Pinned     bool     // Pin was the last switch
	Enabled    []string // groups that are on
	Pending    []string // entries of the spec that name nothing registered, as they stand in it, with a "-"
	Groups     []string // registered groups
	Namespaces []string // registered libraries
	Presets    Presets  // by name, "all" among them, with those of their members that are registered
}

// selection is the part of a registry that says which groups are on.
type selection struct {
	settled    bool // a spec or a pin has been set; registration warnings are no longer held
	generation uint64
	spec       string
	pinned     map[string]bool // nil when a spec, or nothing yet, is in force
	enabled    map[string]bool
	pending    []string
	reported   string // key of the last report on the spec, so that a refresh repeats none
}

// SetSpec switches the groups of the default registry to a spec and returns the state that it made. A spec is a list of
// names of groups and presets, separated by commas; case and blanks are ignored. A name with a "-" before it takes the
// group, or the preset's groups, away again; entries are read from left to right: "all,-layer". Where a name is both,
// the preset is meant. An empty spec switches everything off.
//
// A name that nobody registered is pending: it is warned about and counts as soon as somebody registers it. It is never
// an error, since one spec is commonly shared by programs that link different libraries.
func SetSpec(spec string) State { return defaultRegistry.SetSpec(spec) }

// SetSpecIf is SetSpec on condition that no switch has happened since the state with generation gen. It returns the
// state now in force and whether it is the one asked for.
func SetSpecIf(gen uint64, spec string) (State, bool) { return defaultRegistry.SetSpecIf(gen, spec) }

// Pin switches exactly the named groups of the default registry on, registered or not, and everything else off. Names
// are those of groups, not of presets. The spec is dropped: no later registration changes the set, only another SetSpec
// or Pin. Pin() keeps everything off for good.
func Pin(groups ...string) State { return defaultRegistry.Pin(groups...) }

// Resolve says what SetSpec would switch on in the default registry, and which entries would be pending, and changes
// nothing. Both are sorted and not nil.
func Resolve(spec string) (enabled, pending []string) { return defaultRegistry.Resolve(spec) }

// CurrentState returns what the default registry holds, as one snapshot. Gates change one after the other while a switch
// is under way, so a trace that runs through one may see some groups before others; the state changes at once.
func CurrentState() State { return defaultRegistry.CurrentState() }

// SetSpec switches groups to a spec; see the package's [SetSpec].
func (r *Registry) SetSpec(spec string) State {
	r.mu.Lock()
	return r.setSpecLocked(spec)
}

// SetSpecIf is SetSpec on condition; see the package's [SetSpecIf].
func (r *Registry) SetSpecIf(gen uint64, spec string) (State, bool) {
	r.mu.Lock()
	if r.generation != gen {
		defer r.mu.Unlock()
		return r.state(), false
	}
	return r.setSpecLocked(spec), true
}

// setSpecLocked is called with the lock held and releases it: resolving and storing is one step, and what there is to
// say is said after it.
func (r *Registry) setSpecLocked(spec string) State {
	messages := r.settle()
	r.spec, r.pinned, r.reported = spec, nil, ""
	messages = append(messages, r.refresh()...)
	state := r.state()
	r.mu.Unlock()
	r.log(messages)
	return state
}

// Pin switches exactly the named groups on; see the package's [Pin].
func (r *Registry) Pin(groups ...string) State {
	pinned := make(map[string]bool, len(groups))
	for _, g := range groups {
		pinned[normalise(g)] = true
	}
	r.mu.Lock()
	messages := r.settle()
	r.spec, r.pinned, r.reported = "", pinned, ""
	messages = append(messages, r.refresh()...)
	state := r.state()
	r.mu.Unlock()
	r.log(messages)
	return state
}

// Resolve says what a spec would switch on; see the package's [Resolve].
func (r *Registry) Resolve(spec string) (enabled, pending []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set, pending := resolve(spec, r.vocabulary())
	return sorted(set), pending
}

// CurrentState returns a snapshot; see the package's [CurrentState].
func (r *Registry) CurrentState() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state()
}

// settle counts a switch. The first one gives out the registration warnings held so far.
func (r *Registry) settle() []message {
	r.generation++
	r.settled = true
	messages := r.release()
	r.held = nil
	return messages
}

// refresh works out which groups are on and tells every gate. It returns what there is to say about the spec.
func (r *Registry) refresh() []message {
	var messages []message
	switch {
	case r.pinned == nil:
		r.enabled, r.pending = resolve(r.spec, r.vocabulary())
		messages = r.report()
	case compiled:
		r.enabled, r.pending = r.pinned, []string{}
	default:
		r.enabled, r.pending = map[string]bool{}, sorted(r.pinned)
	}
	r.configureAll()
	return messages
}

// vocabulary is what a spec can name: presets, and with "all" the groups. In a build that leaves telemetry out no name can
// ever switch anything on, "all" neither, and every one of them is pending.
func (r *Registry) vocabulary() map[string]map[string]bool {
	if !compiled {
		return nil
	}
	return r.presets(r.live())
}

func (r *Registry) state() State {
	live := r.live()
	state := State{
		Generation: r.generation,
		Spec:       r.spec,
		Pinned:     r.pinned != nil,
		Enabled:    sorted(r.enabled),
		Pending:    append([]string{}, r.pending...),
		Groups:     sorted(live),
		Namespaces: r.namespaces(),
		Presets:    Presets{},
	}
	for name, members := range r.presets(live) {
		state.Presets[name] = sorted(members)
	}
	return state
}

// resolve reads a spec against presets, among which "all" holds every group. It returns the groups that are on, in a set
// of the caller's own, and the entries that name nothing, sorted.
func resolve(spec string, presets map[string]map[string]bool) (enabled map[string]bool, pending []string) {
	enabled, pending = map[string]bool{}, []string{}
	for entry := range strings.SplitSeq(spec, ",") {
		entry = normalise(entry)
		if entry == "" {
			continue
		}
		name, minus := strings.CutPrefix(entry, "-")
		name = strings.TrimSpace(name)
		members, known := presets[name]
		if !known && presets[all][name] {
			members, known = map[string]bool{name: true}, true
		}
		if !known {
			pending = append(pending, entry)
			continue
		}
		for m := range members {
			if minus {
				delete(enabled, m)
			} else {
				enabled[m] = true
			}
		}
	}
	slices.Sort(pending)
	return enabled, slices.Compact(pending)
}
