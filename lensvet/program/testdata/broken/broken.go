// Command broken has packages that do not compile, and one that does.
package main

import (
	"context"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensvet/program/testdata/broken/bad"
	"github.com/lensgo/lens/lensvet/program/testdata/broken/good"
	"github.com/lensgo/lens/lensvet/program/testdata/broken/missing"
)

// Main is of a package with a mistake.
var Main = lens.NewGroup("main")

func main() {
	lens.MustRegister(lens.Library{Namespace: "broken", Groups: []*lens.Group{Main}})
	ctx, span := Main.Start(context.Background(), "main")
	defer span.End()
	good.Do(ctx)
	bad.Do(ctx)
	missing.Do(ctx)
}
