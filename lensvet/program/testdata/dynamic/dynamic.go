// Command dynamic makes groups whose names are no constants.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/lensgo/lens"
)

const prefix = "worker_"

var (
	layers []*lens.Group
	stages = map[string]*lens.Group{}
)

// Fixed has a constant name, put together.
var Fixed = lens.NewGroup(prefix + "idle")

// Named is made by a function that does nothing else, so that its name is known.
var Named = group("named")

// Custom is what the user says.
var Custom = lens.NewGroup(os.Getenv("GROUP"))

func group(name string) *lens.Group { return lens.NewGroup("my_" + name) }

func init() {
	for i := range 4 {
		layers = append(layers, lens.NewGroup(fmt.Sprintf("layer_%02d", i)))
	}
	for _, name := range []string{"forward", "backward"} {
		stages[name] = lens.NewGroup(name)
	}
	all := append([]*lens.Group{Fixed, Named}, layers...)
	for _, g := range stages {
		all = append(all, g)
	}
	lens.MustRegister(lens.Library{
		Namespace: "dynamic",
		Groups:    all,
		Presets: lens.Presets{
			"default": {"layer_00", "forward", "layer"},
			"named":   {Named.Name(), Fixed.Name()},
		},
	})
}

func main() {
	ctx := context.Background()
	for i, l := range layers {
		_, span := l.Start(ctx, fmt.Sprint("layer ", i))
		span.End()
	}
	if stages["forward"].Enabled() || Fixed.Enabled() {
		_, span := Named.Start(ctx, "named")
		span.End()
	}
	if lens.NewGroup("layer_07").Enabled() { // a check by name
		_, span := Custom.Start(ctx, "custom")
		span.End()
	}
}
