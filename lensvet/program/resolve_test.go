package program

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	p := &Program{
		Groups:  []Group{{Name: "model_call", Namespaces: []string{"x"}}, {Name: "step", Namespaces: []string{"x"}}, {Name: "stop", Namespaces: []string{"x"}}},
		Presets: []Preset{{Name: "default"}},
	}
	for name, want := range map[string][]string{
		"modle_call": {"model_call"},
		"defualt":    {"default"},
		"ste":        {"step"},
		"stap":       {"step", "stop"},
		"xyz":        {},
		"-stepp":     {"step"},
	} {
		if got := p.Resolve(name).Entries[0].Nearest; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
