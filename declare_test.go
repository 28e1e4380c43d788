//go:build !lens_off

package lens_test

import (
	"errors"
	"testing"

	"github.com/lensgo/lens"
)

// TestRegisterErrors has the declarations that are refused: R1 to R6, R27, and what Go's form adds. All of a
// declaration's problems are in the error, and nothing of it takes effect.
func TestRegisterErrors(t *testing.T) {
	for _, tt := range []struct {
		name      string
		namespace string
		groups    []string
		presets   lens.Presets
		want      []string
	}{
		{"R1/empty namespace", "", []string{"x"}, nil, []string{"non-empty string"}},
		{"R1/blank namespace", " \t", []string{"x"}, nil, []string{"non-empty string"}},
		{"R2/empty group", "ns", []string{""}, nil, []string{`"ns"`, "empty group name"}},
		{"R2/blank group", "ns", []string{" \t"}, nil, []string{`"ns"`, "empty group name"}},
		{"R2/empty preset", "ns", nil, lens.Presets{" ": {"x"}}, []string{`"ns"`, "empty preset name"}},
		{"R2/empty member", "ns", nil, lens.Presets{"p": {""}}, []string{`"ns"`, `"p"`, "empty group name"}},
		{"R3/reserved group", "ns", []string{" ALL "}, nil, []string{`"ns"`, "reserved"}},
		{"R4/reserved preset", "ns", nil, lens.Presets{"All ": {"x"}}, []string{`"ns"`, "reserved for the preset of all groups"}},
		{"R4/reserved member", "ns", nil, lens.Presets{"p": {"all"}}, []string{`"ns"`, `"p"`, "reserved"}},
		{"R6/namespace taken", "taken", []string{"x"}, nil, []string{`"taken"`, "already registered", "Override"}},
		{"comma", "ns", []string{"a,b"}, nil, []string{`','`}},
		{"equals", "ns", []string{"a=1"}, nil, []string{`'='`}},
		{"at", "ns", []string{"a@b"}, nil, []string{`'@'`}},
		{"colon", "ns", []string{"a:b"}, nil, []string{`':'`}},
		{"star", "ns", []string{"a*"}, nil, []string{`'*'`}},
		{"blank inside", "ns", []string{"a b"}, nil, []string{`' '`}},
		{"control character", "ns", []string{"a\x00b"}, nil, []string{`'\x00'`}},
		{"minus", "ns", []string{"-a"}, nil, []string{"- or +"}},
		{"plus", "ns", []string{"+a"}, nil, []string{"- or +"}},
		{"preset obeys the same rule", "ns", nil, lens.Presets{"a:b": nil}, []string{`"a:b"`, `':'`}},
		{"member obeys the same rule", "ns", nil, lens.Presets{"p": {"-a"}}, []string{`"-a"`, "- or +"}},
		{"every problem", "taken", []string{"all", ""}, lens.Presets{"all": {"x"}, "p": {"a=b"}},
			[]string{"empty group name", "reserved", `preset "all"`, `'='`, "already registered"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, log := logged(t)
			register(t, r, "taken", "first")
			before := r.CurrentState()
			err := r.Register(library(r, tt.namespace, append(tt.groups, "fine"), tt.presets))
			if err == nil {
				t.Fatal("accepted")
			}
			has(t, err.Error(), tt.want...)
			same(t, "R27: the state", r.CurrentState(), before)
			log.none(t)
		})
	}
}

func TestRegisterForeignGroups(t *testing.T) {
	r, other := lens.NewRegistry(), lens.NewRegistry()
	err := r.Register(lens.Library{Namespace: "ns",
		Groups: []*lens.Group{nil, other.NewGroup("x"), lens.NewGroup("y"), {}}})
	if err == nil {
		t.Fatal("accepted")
	}
	has(t, err.Error(), "group 0 is nil", "group 3 is a zero Group", `"x" was made by the registry made at`, "declare_test.go:",
		`"y" was made by the default registry`, "cannot be registered in the registry made at")
}

func TestNewGroup(t *testing.T) {
	r, _ := logged(t)
	if r.NewGroup(" Step\t") != r.NewGroup("step") {
		t.Error("the same name gives two handles")
	}
	if name := r.NewGroup(" Step\t").Name(); name != "step" {
		t.Errorf("name %q", name)
	}
	for _, name := range []string{"", "all", "a,b", "-x", "a b", "=", "ä\u00a0b"} {
		g := r.NewGroup(name)
		r.Pin(name)
		if g.Enabled() || hasWord(g) {
			t.Errorf("%q is on", name)
		}
	}
	if lens.NewGroup("default.registry") != lens.Default().NewGroup("default.registry") {
		t.Error("the package's function does not use the default registry")
	}
	for _, fine := range []string{"a-b", "a.b", "a_b", "ü", "a/b", "7"} {
		if err := r.Register(library(r, fine, []string{fine}, nil)); err != nil {
			t.Error(err)
		}
	}
}

func TestRegisterJoinsErrors(t *testing.T) {
	r, _ := logged(t)
	err := r.Register(library(r, "", []string{"", "all"}, nil))
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 3 {
		t.Errorf("want three joined errors, have %v", err)
	}
	if errors.Unwrap(err) != nil {
		t.Error("more than joined")
	}
}

// TestMustRegisterPanics: on a declaration that is wrong.
func TestMustRegisterPanics(t *testing.T) {
	r, log := logged(t)
	defer func() {
		err, _ := recover().(error)
		if err == nil {
			t.Fatal("no panic with an error")
		}
		has(t, err.Error(), "reserved")
		log.none(t)
	}()
	r.MustRegister(library(r, "ns", []string{"all"}, nil))
}
