package shortname

import "github.com/lensgo/lens"

var groups = []*lens.Group{
	lens.NewGroup("evaluation_phase"), // want `note: short names are easier to type: "evaluation" says as much as "evaluation_phase"`
	lens.NewGroup("step_group"),       // want `"step" says as much`
	lens.NewGroup("rl.rollout_span"),  // want `"rl.rollout" says as much`
	lens.NewGroup("evaluation"),
	lens.NewGroup("phase"),
	lens.NewGroup("phase_shift"),
	lens.NewGroup("makespan"),
	lens.NewGroup("old_phase"), //lensvet:ignore shortname users have it in their specs
}

var presets = lens.Presets{
	"step_group": {"evaluation_phase"}, // want `"step" says as much as "step_group"`
}
