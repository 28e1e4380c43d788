// Command tags has a group more when it is built with the tag gpu.
package main

import (
	"context"

	"github.com/lensgo/lens"
)

// Step is always there.
var Step = lens.NewGroup("step")

var groups = []*lens.Group{Step}

func main() {
	lens.MustRegister(lens.Library{Namespace: "tags", Groups: groups})
	Step.Start(context.Background(), "step")
}
