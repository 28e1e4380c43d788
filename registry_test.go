//go:build !lens_off

package lens_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lensgo/lens"
)

// TestRegister has the rules for declarations that are accepted, R5 to R20, one registry each.
func TestRegister(t *testing.T) {
	t.Run("R5 names are trimmed and lower-cased, the namespace is kept", func(t *testing.T) {
		r, _ := logged(t)
		must(t, r.Register(library(r, " Ns ", []string{" STEP "}, lens.Presets{" Per_Step": {"Step "}})))
		s := r.SetSpec("")
		same(t, "groups", s.Groups, []string{"step"})
		same(t, "namespaces", s.Namespaces, []string{" Ns "})
		same(t, "presets", s.Presets, lens.Presets{"all": {"step"}, "per_step": {"step"}})
	})
	t.Run("R7 override replaces as a whole", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		must(t, r.Register(library(r, "a", []string{"x", "y"}, lens.Presets{"p": {"x"}, "q": {"y"}})))
		must(t, r.Register(override(library(r, "a", []string{"y", "z"}, lens.Presets{"p": {"z"}}))))
		s := r.CurrentState()
		same(t, "groups", s.Groups, []string{"y", "z"})
		same(t, "presets", s.Presets, lens.Presets{"all": {"y", "z"}, "p": {"z"}})
		log.none(t)
	})
	t.Run("R8 a shared group is one gate and one warning for each owner", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		register(t, r, "first", "x", "y", "z")
		register(t, r, "other", "w")
		log.none(t)
		g := register(t, r, "second", "z", "x", "v")
		log.one(t, "level=WARN", "namespace=second", "other=first", `groups="[x z]"`)
		register(t, r, "third", "x", "w")
		lines := log.take()
		if len(lines) != 3 {
			t.Fatalf("%d warnings, want one for each of three other owners:\n%s", len(lines), strings.Join(lines, "\n"))
		}
		for i, owner := range []string{"first", "other", "second"} {
			has(t, lines[i], "namespace=third", "other="+owner)
		}
		r.SetSpec("x")
		if !hasWord(g[1]) || !hasWord(r.NewGroup("X")) {
			t.Error("enabling the group did not enable both libraries' handles")
		}
	})
	t.Run("R9 override shares silently", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		register(t, r, "first", "x")
		must(t, r.Register(override(library(r, "second", []string{"x"}, nil))))
		log.none(t)
	})
	t.Run("R10 the order of two colliding registrations does not matter", func(t *testing.T) {
		var states []lens.State
		for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
			r, log := logged(t)
			r.SetSpec("")
			register(t, r, order[0], "x", order[0]+"1")
			register(t, r, order[1], "x", order[1]+"1")
			log.one(t, "namespace="+order[1], "other="+order[0], "[x]")
			states = append(states, r.SetSpec("all"))
		}
		same(t, "end state", states[1], states[0])
	})
	t.Run("R11 a shared group outlives one of its owners", func(t *testing.T) {
		r, _ := logged(t)
		register(t, r, "a", "x")
		register(t, r, "b", "x")
		r.SetSpec("all")
		must(t, r.Unregister("a"))
		same(t, "enabled", r.CurrentState().Enabled, []string{"x"})
		must(t, r.Unregister("b"))
		same(t, "enabled", r.CurrentState().Enabled, []string{})
	})
	t.Run("R12 a preset may name own and others' groups", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		register(t, r, "a", "x")
		must(t, r.Register(library(r, "b", []string{"y"}, lens.Presets{"p": {"x", "y"}})))
		log.none(t)
	})
	t.Run("R13 a member without an owner is warned about and counts later", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		must(t, r.Register(library(r, "b", []string{"y"}, lens.Presets{"p": {"x", "y", "w"}, "q": {"x"}})))
		lines := log.take()
		if len(lines) != 2 {
			t.Fatalf("want one warning a preset:\n%s", strings.Join(lines, "\n"))
		}
		has(t, lines[0], "preset=p", "namespace=b", `members="[w x]"`)
		has(t, lines[1], "preset=q", "members=[x]")
		enabled, _ := r.Resolve("p")
		same(t, "before", enabled, []string{"y"})
		register(t, r, "a", "x")
		enabled, _ = r.Resolve("p")
		same(t, "after", enabled, []string{"x", "y"})
	})
	t.Run("R14 an override's presets cannot lean on groups that it drops", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		register(t, r, "a", "x", "y")
		must(t, r.Register(override(library(r, "a", []string{"y"}, lens.Presets{"p": {"x", "y"}}))))
		log.one(t, "preset=p", "members=[x]")
		same(t, "preset", r.CurrentState().Presets["p"], []string{"y"})
	})
	t.Run("R15 libraries add to one preset", func(t *testing.T) {
		r, _ := logged(t)
		must(t, r.Register(library(r, "a", []string{"x"}, lens.Presets{"default": {"x"}})))
		must(t, r.Register(library(r, "b", []string{"y"}, lens.Presets{"default": {"y"}})))
		enabled, pending := r.Resolve("default")
		same(t, "enabled", enabled, []string{"x", "y"})
		same(t, "pending", pending, []string{})
	})
	t.Run("R16 presets never exceed all", func(t *testing.T) {
		r, _ := logged(t)
		register(t, r, "a", "x")
		must(t, r.Register(library(r, "b", []string{"y"}, lens.Presets{"p": {"x", "y", "z"}})))
		must(t, r.Unregister("a"))
		same(t, "presets", r.CurrentState().Presets, lens.Presets{"all": {"y"}, "p": {"y"}})
		must(t, r.Register(override(library(r, "b", []string{"w"}, lens.Presets{"p": {"y", "w"}}))))
		same(t, "presets", r.CurrentState().Presets, lens.Presets{"all": {"w"}, "p": {"w"}})
	})
	t.Run("R17 unregistering an unknown namespace", func(t *testing.T) {
		r, _ := logged(t)
		register(t, r, "a", "x")
		err := r.Unregister("b")
		if err == nil {
			t.Fatal("accepted")
		}
		has(t, err.Error(), `"b"`, "is not registered", `"a"`)
	})
	t.Run("R18 unregistering takes away groups and presets", func(t *testing.T) {
		r, _ := logged(t)
		must(t, r.Register(library(r, "a", []string{"x"}, lens.Presets{"p": {"x"}})))
		must(t, r.Register(library(r, "b", []string{"y"}, lens.Presets{"q": {"x", "y"}})))
		must(t, r.Unregister("a"))
		s := r.CurrentState()
		same(t, "groups", s.Groups, []string{"y"})
		same(t, "presets", s.Presets, lens.Presets{"all": {"y"}, "q": {"y"}})
		same(t, "namespaces", s.Namespaces, []string{"b"})
	})
	t.Run("R19 a new registry is empty", func(t *testing.T) {
		s := lens.NewRegistry().CurrentState()
		same(t, "state", s, lens.State{Enabled: []string{}, Pending: []string{}, Groups: []string{}, Namespaces: []string{},
			Presets: lens.Presets{"all": {}}})
	})
	t.Run("R20 namespaces are sorted", func(t *testing.T) {
		r, _ := logged(t)
		for _, ns := range []string{"c", "a", "b"} {
			register(t, r, ns, "g"+ns)
		}
		same(t, "namespaces", r.CurrentState().Namespaces, []string{"a", "b", "c"})
		same(t, "groups", r.CurrentState().Groups, []string{"ga", "gb", "gc"})
	})
}

// TestLateRegistration has R28 to R30.
func TestLateRegistration(t *testing.T) {
	t.Run("R28 after a spec it takes effect with a warning", func(t *testing.T) {
		r, log := logged(t)
		register(t, r, "early", "x")
		r.SetSpec("x,y")
		log.one(t, "pending=[y]")
		register(t, r, "late", "y")
		log.one(t, "level=WARN", "registered after telemetry was set up", "namespace=late", "import")
		same(t, "enabled", r.CurrentState().Enabled, []string{"x", "y"})
		same(t, "pending", r.CurrentState().Pending, []string{})
	})
	t.Run("R29 after a disabled set-up it is silent and stays off", func(t *testing.T) {
		r, log := logged(t)
		r.Pin()
		g := register(t, r, "late", "y")[0]
		log.none(t)
		if g.Enabled() || len(r.CurrentState().Enabled) > 0 {
			t.Error("on")
		}
	})
	t.Run("R30 before any spec it is silent", func(t *testing.T) {
		r, log := logged(t)
		register(t, r, "early", "y")
		log.none(t)
	})
	t.Run("after an empty spec it is silent", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec(" ")
		register(t, r, "late", "y")
		log.none(t)
	})
}

// TestHeldWarnings: init order must not make warnings that the next library's init refutes.
func TestHeldWarnings(t *testing.T) {
	declare := func(t *testing.T, r *lens.Registry) {
		must(t, r.Register(library(r, "b", []string{"y", "shared"}, lens.Presets{"p": {"x", "never"}, "q": {"x"}})))
		must(t, r.Register(library(r, "c", []string{"shared"}, nil)))
	}
	t.Run("given out with the first spec, less what came true", func(t *testing.T) {
		r, log := logged(t)
		declare(t, r)
		register(t, r, "a", "x")
		log.none(t)
		r.SetSpec("x")
		lines := log.take()
		if len(lines) != 2 {
			t.Fatalf("want two:\n%s", strings.Join(lines, "\n"))
		}
		has(t, lines[0], "preset=p", "members=[never]")
		has(t, lines[1], "namespace=c", "other=b", "[shared]")
		r.SetSpec("x")
		log.none(t)
	})
	t.Run("with the first pin", func(t *testing.T) {
		r, log := logged(t)
		declare(t, r)
		r.Pin()
		if lines := log.take(); len(lines) != 3 {
			t.Fatalf("want three:\n%s", strings.Join(lines, "\n"))
		}
		r.Pin()
		log.none(t)
	})
	t.Run("through the logger set by then", func(t *testing.T) {
		r, early := logged(t)
		declare(t, r)
		late := &logs{}
		r.SetLogger(slog.New(slog.NewTextHandler(late, nil)))
		r.SetSpec("x")
		early.none(t)
		if late.take() == nil {
			t.Error("nothing in the later logger")
		}
	})
	t.Run("with the groups that are still shared", func(t *testing.T) {
		r, log := logged(t)
		register(t, r, "a", "x", "y")
		register(t, r, "b", "x", "y")
		must(t, r.Register(override(library(r, "a", []string{"y"}, nil))))
		r.SetSpec("y")
		log.one(t, "namespace=b", "other=a", "groups=[y]")
	})
	t.Run("not for what is gone or replaced", func(t *testing.T) {
		r, log := logged(t)
		declare(t, r)
		must(t, r.Unregister("c"))
		must(t, r.Register(override(library(r, "b", []string{"y"}, nil))))
		r.SetSpec("y")
		log.none(t)
	})
}

// TestMustRegister has the other half of TestMustRegisterPanics.
func TestMustRegister(t *testing.T) {
	t.Run("logs a namespace that is taken, and leaves the library out", func(t *testing.T) {
		r, log := logged(t)
		register(t, r, "ns", "x")
		r.MustRegister(library(r, "ns", []string{"y"}, nil))
		log.one(t, "level=ERROR", "namespace=ns", "already registered")
		same(t, "groups", r.CurrentState().Groups, []string{"x"})
	})
}

// TestLoggerMayCallBack: warnings are logged without a lock held.
func TestLoggerMayCallBack(t *testing.T) {
	r := lens.NewRegistry()
	calls := 0
	r.SetLogger(slog.New(handlerFunc(func() {
		calls++
		r.CurrentState()
		r.NewGroup(fmt.Sprint("g", calls))
		r.Resolve("all")
		if calls < 3 {
			r.SetSpec("typo")
		}
	})))
	register(t, r, "a", "x")
	r.SetSpec("typo")
	register(t, r, "b", "x")
	r.MustRegister(library(r, "b", nil, nil))
	if calls < 4 {
		t.Errorf("%d calls", calls)
	}
}

// TestRegistryRaces is GO-03: register, look up and list from fifty goroutines.
func TestRegistryRaces(t *testing.T) {
	r, log := logged(t)
	eightGroups(t, r)
	r.SetSpec("all")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			ns := fmt.Sprint("ns", i)
			if err := r.Register(library(r, ns, []string{ns, "both"}, lens.Presets{"default": {ns}})); err != nil {
				t.Error(err)
			}
			r.NewGroup("both").Enabled()
			if !slices.IsSorted(r.CurrentState().Namespaces) {
				t.Error("namespaces are not sorted")
			}
			r.Resolve("default,-both")
		})
	}
	wg.Wait()
	if s := r.CurrentState(); len(s.Groups) != 8+51 || len(s.Enabled) != 8+51 || len(s.Namespaces) != 51 {
		t.Errorf("%d groups, %d on, %d namespaces", len(s.Groups), len(s.Enabled), len(s.Namespaces))
	}
	log.take()
	register(t, r, "user", "step") // a name that somebody else owns is shared, with one warning (and late)
	lines := log.take()
	if len(lines) != 2 {
		t.Fatalf("want two:\n%s", strings.Join(lines, "\n"))
	}
	has(t, lines[0], "namespace=user", "other=lens", "[step]")
	if err := r.Register(library(r, "empty", []string{""}, nil)); err == nil {
		t.Error("an empty name is accepted")
	}
}

// TestRegistrySettles is the upstream race: six threads that register and unregister, and the set is the fresh one.
func TestRegistrySettles(t *testing.T) {
	r, _ := logged(t)
	r.SetSpec("all")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			ns := fmt.Sprint("ns", i)
			for range 25 {
				must(t, r.Register(library(r, ns, []string{ns, "shared"}, nil)))
				must(t, r.Unregister(ns))
			}
			must(t, r.Register(library(r, ns, []string{ns}, nil)))
		})
	}
	wg.Wait()
	want, _ := r.Resolve("all")
	same(t, "enabled", r.CurrentState().Enabled, want)
	if len(want) != 6 {
		t.Errorf("%q", want)
	}
}
