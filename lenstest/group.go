package lenstest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/snapshot"
)

// AssertGated checks that fn emits spans when the group is on, and nothing when it is off. Everything but the group is off
// the whole time, so that a span of fn is the group's, or one that no group gates.
//
// It calls fn three times, with the group off, on and off again: a call site that asks only once is found out. What fn
// starts must have ended when it returns. The group's registry is borrowed for it and given back as it was; for a group of
// the default registry the test must not be parallel.
//
// In a build with lens_off it calls fn once and checks that nothing is emitted.
func AssertGated(t testing.TB, g *lens.Group, fn func(ctx context.Context)) {
	t.Helper()
	reg := home(t, g)
	if reg == nil {
		return
	}
	if reg == lens.Default() {
		forbidParallel(t)
	}
	rec, restore := borrow(reg)
	defer restore()

	if !assertSilent(t, rec, g, fn) || !compiled {
		return
	}
	if rec.SetSpec(g.Name()); !g.Enabled() {
		t.Errorf("group %q cannot be switched on: %s", g.Name(), unresolved(reg, g))
		return
	}
	fn(t.Context())
	rec.AssertEnded(t)
	if rec.spans.len() == 0 {
		t.Errorf("group %q is on and no span was started: the call site may belong to another group, "+
			"or have asked once and kept the answer", g.Name())
	}
	rec.SetSpec("")
	rec.Reset()
	assertSilent(t, rec, g, fn)
}

// assertSilent calls fn, which must emit nothing.
func assertSilent(t testing.TB, rec *Recorder, g *lens.Group, fn func(context.Context)) bool {
	t.Helper()
	fn(t.Context())
	if rec.spans.len() == 0 {
		return true
	}
	t.Errorf("group %q is off, as all groups are, and spans were started: start them with the group, "+
		"and ask it at every call\n%s", g.Name(), rec.Tree())
	return false
}

// AssertResolves checks that a user can switch the group on by its bare name.
func AssertResolves(t testing.TB, g *lens.Group) {
	t.Helper()
	reg := home(t, g)
	if reg == nil || !compiled {
		return
	}
	if enabled, _ := reg.Resolve(g.Name()); !slices.Contains(enabled, g.Name()) {
		t.Errorf("the spec %q does not switch group %q on: %s", g.Name(), g.Name(), unresolved(reg, g))
	}
}

// unresolved says why a spec with the group's name does not switch it on.
func unresolved(reg *lens.Registry, g *lens.Group) string {
	state := reg.CurrentState()
	if preset, ok := state.Presets[g.Name()]; ok {
		return fmt.Sprintf("there is a preset of that name, which is what a spec means; its groups are %q", preset)
	}
	if reg.NewGroup(g.Name()) != g {
		return "the name is not valid; Register says what is wrong with it"
	}
	return fmt.Sprintf("no library registers it; list the handle in Groups of the lens.Library that init registers "+
		"(registered groups are %q)", state.Groups)
}

// home gives the registry of a group; a group that has none ends the test.
func home(t testing.TB, g *lens.Group) *lens.Registry {
	t.Helper()
	if g == nil {
		t.Fatalf("the group is nil: make it with lens.NewGroup, in a package variable")
		return nil
	}
	reg, _ := snapshot.Home(g).(*lens.Registry)
	if reg == nil {
		t.Fatalf("the group is a zero lens.Group: make it with lens.NewGroup")
	}
	return reg
}
