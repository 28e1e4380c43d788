package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/responses"
)

// settings takes from the configuration what no flag says: every flag of `gym eval run` has a key, which a file, env.yaml or
// an override may set.
func (f *evalFlags) settings(o *eval.Options, graph *config.Graph, set *pflag.FlagSet) error {
	var problems []error
	for _, s := range []struct {
		flag, key string
		to        any
	}{
		{"input", "input_jsonl_fpath", &f.input},
		{"output", "output_jsonl_fpath", &f.output},
		{"split", "split", &f.split},
		{"agent", "agent_name", &o.Rollout.Agent},
		{"limit", "limit", &f.limit},
		{"num-repeats", "num_repeats", &f.repeats},
		{"concurrency", "num_samples_in_parallel", &f.workers},
		{"resume", "resume_from_cache", &o.Rollout.Resume},
		{"disable-aggregation", "disable_aggregation", &o.Rollout.DisableAggregation},
		{"verbose", "verbose", &o.Verbose},
	} {
		if !set.Changed(s.flag) {
			problems = append(problems, graph.DecodeValue(s.key, s.to))
		}
	}
	return errors.Join(append(problems, createParams(o, graph))...)
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
