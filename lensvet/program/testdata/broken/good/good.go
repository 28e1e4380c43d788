// Package good compiles.
package good

import (
	"context"

	"github.com/lensgo/lens"
)

// Good is fine.
var Good = lens.NewGroup("good")

func init() { lens.MustRegister(lens.Library{Namespace: "good", Groups: []*lens.Group{Good}}) }

// Do does.
func Do(ctx context.Context) { Good.Start(ctx, "good") }
