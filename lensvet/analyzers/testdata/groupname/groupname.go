package groupname

import "github.com/lensgo/lens"

const prefix = "rl."

var (
	empty    = lens.NewGroup("")                   // want `the name of a group, "", is refused: it is empty`
	blank    = lens.NewGroup("a b")                // want `the name of a group, "a b", is refused: it holds a blank`
	every    = lens.NewGroup("all")                // want `is refused: "all" stands for every group`
	shout    = lens.NewGroup(" ALL ")              // want `"all" stands for every group`
	minus    = lens.NewGroup("-step")              // want `it begins with -`
	ratio    = lens.NewGroup("step=0.1")           // want `it holds =, which is of the grammar of specs`
	hold     = lens.NewGroup("step@hold")          // want `it holds @`
	upper    = lens.NewGroup("Step")               // want `should be words in lower case joined by _`
	padded   = lens.NewGroup(" step ")             // want `should be words in lower case`
	camel    = lens.NewGroup("PipelineParallel")   // want `should be words in lower case`
	dashes   = lens.NewGroup("pipeline-parallel")  // want `should be words in lower case`
	double   = lens.NewGroup("pipeline__parallel") // want `should be words in lower case`
	trailing = lens.NewGroup("step_")              // want `should be words in lower case`
	slash    = lens.NewGroup("train/step")         // want `should be words in lower case`
	saving   = lens.NewGroup("saving_checkpoint")  // want `begins with what is done; name the thing: "checkpoint", not "saving_checkpoint"`
	loading  = lens.NewGroup("rl.loading_data")    // want `name the thing: "data", not "loading_data"`
	computed = lens.NewGroup(prefix + "a-b")       // want `should be words in lower case`
	own      = lens.NewRegistry().NewGroup("B-C")  // want `should be words in lower case`
	running  = lens.NewGroup("running_evaluation") // want `name the thing: "evaluation"`
)

var presets = lens.Presets{
	"Default":  {"step"},                      // want `the name of a preset, "Default", should be words in lower case`
	"all":      {"step"},                      // want `the name of a preset, "all", is refused`
	"per_step": {"step", "A, B"},              // want `the preset member "A, B" is refused: it holds ,`
	"fine":     {"Step", "saving_checkpoint"}, // want `the preset member "Step" should be`
}

var library = lens.Library{
	Presets: map[string][]string{"per step": {"step"}}, // want `the name of a preset, "per step", is refused: it holds a blank`
}

func add(p lens.Presets) {
	p["Fine"] = []string{"x"} // want `the name of a preset, "Fine", should be`
}

// What follows is right.

var good = []*lens.Group{
	lens.NewGroup("step"),
	lens.NewGroup("pipeline_parallel"),
	lens.NewGroup("data_loading"),
	lens.NewGroup("loading"),
	lens.NewGroup("training_step"),
	lens.NewGroup("embedding_lookup"),
	lens.NewGroup("ring_allreduce"),
	lens.NewGroup("string_match"),
	lens.NewGroup("rl.rollout"),
	lens.NewGroup("layer_2d"),
	lens.NewGroup(library.Namespace),
	lens.NewGroup("kept-as-it-was"), //lensvet:ignore groupname users have it in their specs
}

func ask(name string) bool { return lens.NewGroup(name).Enabled() }
