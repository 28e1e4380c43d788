// Package bad does not compile.
package bad

import (
	"context"

	"github.com/lensgo/lens"
)

// Bad has a call site beside a mistake.
var Bad = lens.NewGroup("bad")

func init() { lens.MustRegister(lens.Library{Namespace: "bad", Groups: []*lens.Group{Bad, Worse}}) }

// Do does.
func Do(ctx context.Context) {
	Bad.Start(ctx, "bad")
	var n int = "text"
}
