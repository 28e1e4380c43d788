package lenstest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

// all is the preset of all groups, which needs no test.
const all = "all"

// AssertPresets checks that the group is in each of these presets and in no other that is registered, save "all". No
// names: the group is in no preset. Presets are shared by libraries; a library that is linked into the test and puts the
// group into another preset counts too.
func AssertPresets(t testing.TB, g *lens.Group, presets ...string) {
	t.Helper()
	registered, ok := presetsFor(t, g)
	if !ok {
		return
	}
	var want []string
	for _, p := range presets {
		want = append(want, normalise(p))
	}
	for _, p := range slices.Sorted(maps.Keys(registered)) {
		switch in := slices.Contains(registered[p], g.Name()); {
		case p == all:
		case in && !slices.Contains(want, p):
			t.Errorf("group %q is in preset %q and should not be: it has %q", g.Name(), p, registered[p])
		case !in && slices.Contains(want, p):
			t.Errorf("group %q is not in preset %q, which has %q", g.Name(), p, registered[p])
		}
	}
	assertKnown(t, registered, want)
}

// AssertInPreset checks that the group is in each of these presets.
func AssertInPreset(t testing.TB, g *lens.Group, presets ...string) {
	t.Helper()
	registered, ok := presetsFor(t, g)
	for _, p := range presets {
		p = normalise(p)
		if ok && assertKnown(t, registered, []string{p}) && !slices.Contains(registered[p], g.Name()) {
			t.Errorf("group %q is not in preset %q, which has %q", g.Name(), p, registered[p])
		}
	}
}

// AssertNotInPreset checks that the group is in none of these presets. A preset that no library registers is a mistake in
// the test, which would pass for ever.
func AssertNotInPreset(t testing.TB, g *lens.Group, presets ...string) {
	t.Helper()
	registered, ok := presetsFor(t, g)
	for _, p := range presets {
		p = normalise(p)
		if ok && assertKnown(t, registered, []string{p}) && slices.Contains(registered[p], g.Name()) {
			t.Errorf("group %q is in preset %q and should not be: it has %q", g.Name(), p, registered[p])
		}
	}
}

// presetsFor gives the presets of the group's registry. It is not ok when there is nothing to compare: the group is not
// registered, which is an error, or the build has no telemetry.
func presetsFor(t testing.TB, g *lens.Group) (presets lens.Presets, ok bool) {
	t.Helper()
	reg := home(t, g)
	if reg == nil || !compiled {
		return nil, false
	}
	state := reg.CurrentState()
	if !slices.Contains(state.Groups, g.Name()) {
		t.Errorf("group %q is in no preset: %s", g.Name(), unresolved(reg, g))
		return nil, false
	}
	return state.Presets, true
}

// assertKnown checks that somebody registers the presets.
func assertKnown(t testing.TB, registered lens.Presets, presets []string) bool {
	t.Helper()
	known := true
	for _, p := range presets {
		if _, ok := registered[p]; !ok {
			t.Errorf("no library registers a preset %q; there are %q", p, slices.Sorted(maps.Keys(registered)))
			known = false
		}
	}
	return known
}

// normalise gives a name the form that lens keeps.
func normalise(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
