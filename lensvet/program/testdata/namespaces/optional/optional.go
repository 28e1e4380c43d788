// Package optional is the engine that may be there.
package optional

import (
	"context"

	"github.com/lensgo/lens"
)

// Inference is one request to the engine.
var Inference = lens.NewGroup("inference")

func init() {
	lens.MustRegister(lens.Library{Namespace: "optional", Groups: []*lens.Group{Inference}})
}

// Infer infers.
func Infer(ctx context.Context) {
	_, span := Inference.Start(ctx, "infer")
	span.End()
}
