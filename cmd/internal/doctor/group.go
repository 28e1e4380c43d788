package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// Groups is what a spec of span groups comes to.
type Groups struct {
	Spec    string       `json:"spec"`
	From    string       `json:"from"`
	Entries []GroupEntry `json:"entries"`
}

// GroupEntry is one of its names.
type GroupEntry struct {
	Text  string   `json:"text"`
	Known bool     `json:"known"` // to Gym, or all programs: all
	Opens []string `json:"opens"` // groups of Gym that it opens, or closes
	Near  string   `json:"near"`  // the name that was perhaps meant
}

// groups says what the spec opens. Which groups a program has, only that knows: this one has those of Gym, and "default" and "all" are
// everywhere.
func (e *examination) groups() {
	g := &e.report.Groups
	g.Spec, g.From = e.config.SpanGroups, e.variables["SPAN_GROUPS"].Name
	opens := false
	for text := range strings.SplitSeq(g.Spec, ",") {
		if text = strings.ToLower(strings.TrimSpace(text)); text == "" {
			continue
		}
		entry := e.groupEntry(text)
		g.Entries = append(g.Entries, entry)
		opens = opens || !strings.HasPrefix(text, "-")
	}
	on, pending := lens.Resolve(g.Spec)
	switch {
	case !e.config.TracesEnabled:
	case !opens, e.gym() && len(on) == 0 && len(pending) == 0:
		e.report.add(Problem, "no_groups", telemetry.SignalTraces, fmt.Sprintf("The spec %q opens no span group, so no span of a group is recorded. The usual one is default.", g.Spec))
	}
}

func (e *examination) groupEntry(text string) GroupEntry {
	name := strings.TrimSpace(strings.TrimPrefix(text, "-"))
	state := lens.CurrentState()
	entry := GroupEntry{Text: text, Opens: []string{}}
	if members, ok := state.Presets[name]; ok {
		entry.Known, entry.Opens = true, members
	} else if slices.Contains(state.Groups, name) {
		entry.Known, entry.Opens = true, []string{name}
	}
	universal := name == "all" || name == "default"
	if !e.gym() && !universal {
		entry.Known, entry.Opens = false, []string{} // the program may have one of this name, or not
	}
	if entry.Known || !e.config.TracesEnabled {
		return entry
	}
	names := []string{"default"}
	if e.gym() {
		names = slices.Concat(slices.Sorted(presetNames(state)), state.Groups)
	}
	entry.Near = near(name, names)
	switch {
	case strings.ContainsAny(name, " \t;|"):
		entry.Near = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" \t;|", r) }), ",")
		e.report.add(Problem, "group_misspelt", telemetry.SignalTraces, fmt.Sprintf("The span groups name %q: between two names belongs a comma, so did you mean %s?", name, entry.Near))
	case entry.Near != "":
		e.report.add(Problem, "group_misspelt", telemetry.SignalTraces, fmt.Sprintf("The span groups name %q, which is perhaps a misspelling: did you mean %s?", name, entry.Near))
	case e.gym():
		e.report.add(Note, "group_unknown", telemetry.SignalTraces, fmt.Sprintf("The span groups name %q, which Gym does not have; it counts where a library of that process registers it. "+
			"Gym has %s.", name, strings.Join(names, ", ")))
	}
	return entry
}

func presetNames(s lens.State) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range s.Presets {
			if !yield(name) {
				return
			}
		}
	}
}

// setting is the line of the groups.
func (g Groups) setting(gym bool) Setting {
	s := Setting{Name: "groups", Value: g.Spec, From: g.From}
	if g.From == "" {
		s.Why = "by default"
	}
	if gym {
		on, _ := lens.Resolve(g.Spec)
		s.Why = strings.TrimPrefix(s.Why+": "+strings.Join(on, " "), ": ")
	} else if s.Why == "" && !slices.ContainsFunc(g.Entries, func(e GroupEntry) bool { return e.Near != "" }) {
		s.Why = "'lens check " + g.Spec + " PACKAGE' says what it opens in a program"
	}
	return s
}
