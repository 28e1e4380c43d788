// Command opaque registers what its source does not show.
package main

import (
	"context"
	"flag"

	"github.com/lensgo/lens"
)

// plugin is what a program of this kind loads.
type plugin interface {
	Groups() []*lens.Group
	Library() lens.Library
	More() any
}

var loaded plugin

// Layer is in no list that is seen here, and may be in the plugin's.
var Layer = lens.NewGroup("layer")

// Of these two it is one or the other.
var either = choose(len(flag.Args()) > 0)

// Either is a group of that one.
var Either = either.NewGroup("either")

// Named has the name that a function gives by name.
var Named = lens.NewGroup(named())

var apart = lens.NewRegistry()

// Missing is in a registry of which everything is seen.
var Missing = apart.NewGroup("missing")

// Made is put into a list that is made empty.
var Made = apart.NewGroup("made")

var theirs = lens.NewRegistry()

// Theirs may be in the plugin's library.
var Theirs = theirs.NewGroup("theirs")

// The second one who registers it is told that it is there.
var shared = lens.Library{Namespace: "shared"}

func choose(own bool) *lens.Registry {
	r := lens.Default()
	if own {
		r = lens.NewRegistry()
	}
	return r
}

func named() (name string) {
	name = "named"
	return
}

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "opaque",
		Groups:    loaded.Groups(),
		Presets:   lens.Presets{"default": {"elsewhere"}},
	})
	made := make([]*lens.Group, 0, 1)
	made = append(made, Made)
	apart.MustRegister(lens.Library{Namespace: "apart", Groups: made})
	theirs.MustRegister(loaded.Library())
	apart.MustRegister(shared)
	if err := apart.Register(shared); err != nil {
		println(err.Error())
	}
	either.MustRegister(lens.Library{Namespace: "either", Groups: append(loaded.More().([]*lens.Group), Either)})
}

func main() {
	ctx := context.Background()
	Layer.Start(ctx, "layer")
	Either.Start(ctx, "either")
	Named.Start(ctx, "named")
	Made.Start(ctx, "made")
	Theirs.Start(ctx, "theirs")
	handle := &Missing
	(*handle).Start(ctx, "missing")
}
