package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/responses"
)

// setting is a flag with its key in the configuration.
type setting struct {
	flag, key string
	to        any
}

// fromConfig takes from the configuration what no flag says: a file, env.yaml or an override may set it.
func fromConfig(graph *config.Graph, set *pflag.FlagSet, settings ...setting) error {
	var problems []error
	for _, s := range settings {
		if !set.Changed(s.flag) {
			problems = append(problems, graph.DecodeValue(s.key, s.to))
		}
	}
	return errors.Join(problems...)
}

// settings takes from the configuration what no flag says: every flag of `gym eval run` has a key.
func (f *evalFlags) settings(o *eval.Options, graph *config.Graph, set *pflag.FlagSet) error {
	return errors.Join(fromConfig(graph, set,
		setting{"input", "input_jsonl_fpath", &f.input},
		setting{"output", "output_jsonl_fpath", &f.output},
		setting{"split", "split", &f.split},
		setting{"agent", "agent_name", &o.Rollout.Agent},
		setting{"limit", "limit", &f.limit},
		setting{"num-repeats", "num_repeats", &f.repeats},
		setting{"num-repeats-add-seed", "num_repeats_add_seed", &o.Rollout.AddSeed},
		setting{"prompt-config", "prompt_config", &f.prompt},
		setting{"concurrency", "num_samples_in_parallel", &f.workers},
		setting{"resume", "resume_from_cache", &o.Rollout.Resume},
		setting{"disable-aggregation", "disable_aggregation", &o.Rollout.DisableAggregation},
		setting{"verbose", "verbose", &o.Verbose},
	), createParams(o, graph))
}

// createParams lays responses_create_params of the configuration over every row's.
func createParams(o *eval.Options, graph *config.Graph) error {
	var params responses.Object
	if err := graph.DecodeValue("responses_create_params", &params); err != nil {
		return err
	}
	o.Rollout.Params = params
	return nil
}
