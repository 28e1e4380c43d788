package loopdefault

import (
	"context"

	"github.com/lensgo/lens"

	"example.com/vetted/loopdefault/groups"
)

func run(ctx context.Context, items []int) {
	ctx, span := groups.Job.Start(ctx, "job")
	defer span.End()
	for range items {
		_, item := groups.Item.Start(ctx, "item") // want `note: Item is started in a loop and is in a default preset, which should stay quiet`
		item.End()
		_, fine := groups.Fine.Start(ctx, "fine")
		fine.End()
		groups.Item.EmitWith(ctx, "item", lens.EmitConfig{}) // want `note: Item is started in a loop`
		func() {
			_ = groups.Item.Do(ctx, "item", nil) // want `note: Item is started in a loop`
		}()
	}
}
