package groups

import "github.com/lensgo/lens"

var (
	Job  = lens.NewGroup("job")  // want Job:"byDefault"
	Item = lens.NewGroup("item") // want Item:"byDefault"
	Fine = lens.NewGroup("fine")
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "loops",
		Groups:    []*lens.Group{Job, Item, Fine},
		Presets:   lens.Presets{"default": {"job", Item.Name()}, "per_step": {"fine"}},
	})
}
