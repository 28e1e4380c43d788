//go:build gpu

package main

import (
	"context"

	"github.com/lensgo/lens"
)

// Kernel is one kernel on the GPU.
var Kernel = lens.NewGroup("kernel")

func init() {
	groups = append(groups, Kernel)
	Kernel.Start(context.Background(), "kernel")
}
