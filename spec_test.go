//go:build !lens_off

package lens_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens"
)

type handlerFunc func()

func (handlerFunc) Enabled(context.Context, slog.Level) bool    { return true }
func (f handlerFunc) Handle(context.Context, slog.Record) error { f(); return nil }
func (f handlerFunc) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f handlerFunc) WithGroup(string) slog.Handler             { return f }

// eightGroups registers the groups and presets that version 0.2 of the Python library shipped.
func eightGroups(t testing.TB, r *lens.Registry) {
	t.Helper()
	eight := []string{"job", "checkpoint", "evaluate", "model_init", "load_checkpoint", "step", "forward_backward", "optimizer"}
	must(t, r.Register(library(r, "lens", eight, lens.Presets{"default": eight[:3], "per_step": eight})))
}

// TestResolve has R21 to R26, EN-09 and the grammar that is ours.
func TestResolve(t *testing.T) {
	r, log := logged(t)
	eightGroups(t, r)
	must(t, r.Register(library(r, "more", []string{"both", "other"},
		lens.Presets{"both": {"other"}, "absent": {"nobody"}, "none": nil})))
	eight := []string{"checkpoint", "evaluate", "forward_backward", "job", "load_checkpoint", "model_init", "optimizer", "step"}
	everything := append([]string{"both"}, append(slices.Clone(eight), "other")...)
	slices.Sort(everything)

	for _, tt := range []struct {
		name, spec       string
		enabled, pending []string
	}{
		{"EN-09/preset, group, case, empties", "default, STEP,,", []string{"checkpoint", "evaluate", "job", "step"}, nil},
		{"EN-09/all eight", "per_step", eight, nil},
		{"EN-09/all and one", "all,job", everything, nil},
		{"EN-09/comma", ",", nil, nil},
		{"EN-09/typo", "typo", nil, []string{"typo"}},
		{"R21/blanks", "\t job ,\n step ", []string{"job", "step"}, nil},
		{"R22/preset wins", "both", []string{"other"}, nil},
		{"R23/unknown beside known", "job,Zeta,alpha,zeta", []string{"job"}, []string{"alpha", "zeta"}},
		{"R24/empty", "", nil, nil},
		{"R24/blank", "  ", nil, nil},
		{"R26/preset without live members", "absent", nil, nil},
		{"R26/preset without members", "none", nil, nil},
		{"minus a group", "per_step,-step", []string{"checkpoint", "evaluate", "forward_backward", "job", "load_checkpoint", "model_init", "optimizer"}, nil},
		{"minus a preset", "all,-per_step", []string{"both", "other"}, nil},
		{"minus all", "all,-all", nil, nil},
		{"left to right", "-job,job", []string{"job"}, nil},
		{"right to left would differ", "job,-job", nil, nil},
		{"back again", "all,-default,job", slices.DeleteFunc(slices.Clone(everything),
			func(s string) bool { return s == "checkpoint" || s == "evaluate" }), nil},
		{"minus with blanks and case", "default, - JOB", []string{"checkpoint", "evaluate"}, nil},
		{"minus what is off", "job,-step", []string{"job"}, nil},
		{"minus unknown", "job,-typo", []string{"job"}, []string{"-typo"}},
		{"unknown both ways", "typo,-typo", nil, []string{"-typo", "typo"}},
		{"minus nothing", "job,-", []string{"job"}, []string{"-"}},
		{"two minuses", "job,--job", []string{"job"}, []string{"--job"}},
		{"minus a preset without live members", "job,-absent", []string{"job"}, nil},
		{"reserved characters", "job=0.1,+job,job@hold,job:x,*", nil, []string{"*", "+job", "job:x", "job=0.1", "job@hold"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := r.CurrentState()
			enabled, pending := r.Resolve(tt.spec)
			same(t, "enabled", enabled, append([]string{}, tt.enabled...))
			same(t, "pending", pending, append([]string{}, tt.pending...))
			same(t, "state after a pure function", r.CurrentState(), before)
		})
	}
	log.none(t)

	t.Run("R25/all on an empty registry", func(t *testing.T) {
		enabled, pending := lens.NewRegistry().Resolve("all")
		same(t, "enabled", enabled, []string{})
		same(t, "pending", pending, []string{})
	})
	t.Run("everything is pending before anyone registers", func(t *testing.T) {
		_, pending := lens.NewRegistry().Resolve("default,job")
		same(t, "pending", pending, []string{"default", "job"})
	})
}

// TestState has S1 to S8.
func TestState(t *testing.T) {
	setUp := func(t *testing.T) (*lens.Registry, *lens.Group, *lens.Group) {
		r, _, _ := recorded(t)
		g := register(t, r, "lib", "x", "y")
		return r, g[0], g[1]
	}
	check := func(t *testing.T, x, y *lens.Group, wantX, wantY bool) {
		t.Helper()
		if x.Enabled() != wantX || y.Enabled() != wantY {
			t.Errorf("x %t, y %t; want %t, %t", x.Enabled(), y.Enabled(), wantX, wantY)
		}
	}
	t.Run("S1 nothing called", func(t *testing.T) {
		_, x, y := setUp(t)
		check(t, x, y, false, false)
	})
	t.Run("S2 a spec is kept, with what it enables and what is pending", func(t *testing.T) {
		r, x, y := setUp(t)
		s := r.SetSpec(" X, typo")
		check(t, x, y, true, false)
		want := lens.State{Generation: 1, Spec: " X, typo", Enabled: []string{"x"}, Pending: []string{"typo"},
			Groups: []string{"x", "y"}, Namespaces: []string{"lib"}, Presets: lens.Presets{"all": {"x", "y"}}}
		same(t, "answer", s, want)
		same(t, "snapshot", r.CurrentState(), want)
	})
	t.Run("S3 a registry change re-resolves", func(t *testing.T) {
		r, _, _ := setUp(t)
		r.SetSpec("all,z")
		must(t, r.Register(library(r, "late", []string{"z"}, nil)))
		same(t, "enabled", r.CurrentState().Enabled, []string{"x", "y", "z"})
		same(t, "pending", r.CurrentState().Pending, []string{})
		must(t, r.Unregister("late"))
		same(t, "enabled", r.CurrentState().Enabled, []string{"x", "y"})
		same(t, "pending", r.CurrentState().Pending, []string{"z"})
	})
	t.Run("S4 a registry change while pinned or blank has no effect", func(t *testing.T) {
		r, x, y := setUp(t)
		r.Pin("x")
		must(t, r.Unregister("lib"))
		check(t, x, y, true, false)
		r.SetSpec("")
		register(t, r, "again", "x", "y")
		check(t, x, y, false, false)
	})
	t.Run("S5 a pin drops the spec", func(t *testing.T) {
		r, x, y := setUp(t)
		r.SetSpec("x,z")
		s := r.Pin("Y ")
		check(t, x, y, false, true)
		if s.Spec != "" || !s.Pinned || len(s.Pending) != 0 {
			t.Errorf("%+v", s)
		}
		z := register(t, r, "late", "z")[0]
		if z.Enabled() {
			t.Error("a registration reopened a pinned registry")
		}
	})
	t.Run("S6 a spec after a pin wins", func(t *testing.T) {
		r, x, y := setUp(t)
		r.Pin("x")
		s := r.SetSpec("y")
		check(t, x, y, false, true)
		if s.Pinned || s.Generation != 2 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("S7 unregistering switches off", func(t *testing.T) {
		r, x, y := setUp(t)
		r.SetSpec("all")
		must(t, r.Unregister("lib"))
		check(t, x, y, false, false)
		if hasWord(x) {
			t.Error("the call site still takes the slow path")
		}
	})
	t.Run("S8 a spec can be resolved again at any time", func(t *testing.T) {
		r, _ := logged(t)
		enabled, _ := r.Resolve("default")
		same(t, "before", enabled, []string{})
		eightGroups(t, r)
		enabled, _ = r.Resolve("default")
		same(t, "after", enabled, []string{"checkpoint", "evaluate", "job"})
	})
	t.Run("a handle that nobody registered is off under all, and on when pinned", func(t *testing.T) {
		r, x, _ := setUp(t)
		loose := r.NewGroup("loose")
		r.SetSpec("all,loose")
		if !x.Enabled() || loose.Enabled() {
			t.Error("x off or loose on")
		}
		s := r.Pin("loose", "never")
		if !loose.Enabled() || !r.NewGroup("never").Enabled() {
			t.Error("a pinned name is off")
		}
		same(t, "enabled", s.Enabled, []string{"loose", "never"})
	})
	t.Run("the empty pin keeps everything off", func(t *testing.T) {
		r, x, y := setUp(t)
		r.SetSpec("all")
		r.Pin()
		check(t, x, y, false, false)
	})
}

func TestSetSpecIf(t *testing.T) {
	r, _ := logged(t)
	register(t, r, "lib", "x", "y")
	lent := r.SetSpec("x")
	if s, ok := r.SetSpecIf(lent.Generation+7, "y"); ok || s.Spec != "x" {
		t.Errorf("took effect out of turn: %+v", s)
	}
	must(t, r.Unregister("lib")) // no switch
	register(t, r, "lib", "x", "y")
	s, ok := r.SetSpecIf(lent.Generation, "y")
	if !ok || s.Spec != "y" || s.Generation != lent.Generation+1 {
		t.Errorf("%t %+v", ok, s)
	}
	if s, ok := r.SetSpecIf(lent.Generation, "x"); ok || s.Spec != "y" {
		t.Errorf("a second switch on an old generation: %+v", s)
	}
	r.Pin()
	if _, ok := r.SetSpecIf(s.Generation, "x"); ok {
		t.Error("a pin is a switch")
	}
}

func TestStateIsACopy(t *testing.T) {
	r, _ := logged(t)
	eightGroups(t, r)
	s := r.SetSpec("default,typo,other")
	want := r.CurrentState()
	for _, list := range [][]string{s.Enabled, s.Pending, s.Groups, s.Namespaces, s.Presets["default"], s.Presets["all"]} {
		for i := range list {
			list[i] = "spoilt"
		}
	}
	delete(s.Presets, "default")
	same(t, "state", r.CurrentState(), want)
}

// TestPackageFunctions: the package's functions act on the default registry.
func TestPackageFunctions(t *testing.T) {
	r := lens.Default()
	log := &logs{}
	lens.SetLogger(slog.New(slog.NewTextHandler(log, nil)))
	defer lens.SetLogger(nil)
	g := lens.NewGroup("package.functions")
	must(t, lens.Register(lens.Library{Namespace: t.Name(), Groups: []*lens.Group{g}}))
	lens.MustRegister(lens.Library{Namespace: t.Name()})
	log.one(t, "level=ERROR", "already registered")
	s := lens.SetSpec("package.functions")
	same(t, "state", lens.CurrentState(), s)
	same(t, "state of Default", r.CurrentState(), s)
	if s, ok := lens.SetSpecIf(s.Generation, ""); !ok || s.Spec != "" {
		t.Errorf("%t %+v", ok, s)
	}
	enabled, pending := lens.Resolve("package.functions,typo")
	same(t, "enabled", enabled, []string{"package.functions"})
	same(t, "pending", pending, []string{"typo"})
	lens.Pin()
	must(t, lens.Unregister(t.Name()))
	log.none(t)
}

func FuzzSpec(f *testing.F) {
	for _, seed := range []string{"", "all,-layer", " default , STEP,,", "-", "--x", "job,-job,job", "\x00,ÿ,\xff", "all,-default,-"} {
		f.Add(seed)
	}
	r, _ := logged(f)
	eightGroups(f, r)
	r.SetSpec("")
	f.Fuzz(func(t *testing.T, spec string) {
		enabled, pending := r.Resolve(spec)
		for name, list := range map[string][]string{"enabled": enabled, "pending": pending} {
			if list == nil || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
				t.Errorf("%s of %q is nil, unsorted or has duplicates: %q", name, spec, list)
			}
		}
		groups := r.CurrentState().Groups
		for _, g := range enabled {
			if !slices.Contains(groups, g) {
				t.Errorf("%q enables %q", spec, g)
			}
		}
		for _, p := range pending {
			if p == "" || strings.ContainsAny(p, ",") || !strings.Contains(strings.ToLower(spec), p) {
				t.Errorf("%q leaves %q pending", spec, p)
			}
		}
		// The entries that name nothing change nothing, and the answer is a spec that says the same.
		again, none := r.Resolve(strings.Join(enabled, ","))
		if diff := cmp.Diff(enabled, again); diff != "" || len(none) != 0 {
			t.Errorf("resolving the answer to %q again: %s %q", spec, diff, none)
		}
		s := r.SetSpec(spec)
		if diff := cmp.Diff(enabled, s.Enabled); diff != "" {
			t.Errorf("SetSpec(%q) differs from Resolve: %s", spec, diff)
		}
	})
}
