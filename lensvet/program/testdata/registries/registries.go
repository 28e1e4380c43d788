// Command registries has registries of its own, beside the default one.
package main

import (
	"context"

	"github.com/lensgo/lens"
)

// Step is of the default registry.
var Step = lens.Default().NewGroup("step")

// Mine is a registry for one tenant.
var Mine = lens.NewRegistry()

// Tenant has the name of the other one, and is another gate.
var Tenant = Mine.NewGroup("step")

// Layer is in no library.
var Layer = Mine.NewGroup("layer")

// Engine is a library that takes a registry.
type Engine struct {
	Request *lens.Group // Request is one request of the engine.
}

// NewEngine registers the engine's groups.
func NewEngine(r *lens.Registry) *Engine {
	e := &Engine{Request: r.NewGroup("request")}
	r.MustRegister(lens.Library{
		Namespace: "engine",
		Groups:    []*lens.Group{e.Request},
		Presets:   lens.Presets{"default": {"request", "step"}},
	})
	return e
}

// Unmet is a library that nobody gives a registry.
func Unmet(r *lens.Registry) {
	met := r.NewGroup("met")
	_ = r.Register(lens.Library{Namespace: "unmet", Groups: []*lens.Group{met}})
	met.Enabled()
}

func init() {
	lens.MustRegister(lens.Library{"registries", "1.0.0", []*lens.Group{Step}, nil, false})
	if err := Mine.Register(lens.Library{Namespace: "tenant", Groups: []*lens.Group{Tenant}}); err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	Step.Start(ctx, "step")
	Tenant.Start(ctx, "tenant.step")
	Layer.Start(ctx, "tenant.layer")
	NewEngine(Mine).Request.Start(ctx, "request")
}
