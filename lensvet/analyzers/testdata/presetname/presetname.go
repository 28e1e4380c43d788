package presetname

import "github.com/lensgo/lens"

var step = lens.NewGroup("step")

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "a",
		Groups:    []*lens.Group{step},
		Presets:   lens.Presets{"default": {"step"}}, // want `note: "default" is the only preset`
	})
	lens.MustRegister(lens.Library{
		Namespace: "b",
		Presets:   map[string][]string{"Default": {"step"}}, // want `note: "default" is the only preset`
	})
	lens.MustRegister(lens.Library{
		Namespace: "c",
		Presets:   only, // want `note: "default" is the only preset`
	})
	lens.MustRegister(lens.Library{
		Namespace: "d",
		Presets:   lens.Presets{"default": {"step"}}, //lensvet:ignore presetname there is one span a run
	})
}

var only = lens.Presets{"default": {"step"}}

// What follows is right.

var grown = lens.Presets{"default": {"step"}}

func init() {
	grown["per_step"] = []string{"step"}
	lens.MustRegister(lens.Library{Namespace: "e", Presets: grown})
	lens.MustRegister(lens.Library{Namespace: "f", Presets: lens.Presets{"default": {"step"}, "per_step": {"step"}}})
	lens.MustRegister(lens.Library{Namespace: "g", Presets: lens.Presets{"per_step": {"step"}}})
	lens.MustRegister(lens.Library{Namespace: "h", Groups: []*lens.Group{step}})
	lens.MustRegister(lens.Library{Namespace: "i", Presets: make()})
}

func make() lens.Presets { return nil }
