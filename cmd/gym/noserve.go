package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/fleet"
)

// running asks a head server for the configuration of what runs, and puts that into the options. The result is where settings
// of the run are read from: the configuration that flags name, when they do, else that of the head server with the overrides.
func (f *evalFlags) running(cmd *cobra.Command, o *eval.Options, graph *config.Graph, args []string) (*config.Graph, error) {
	address, err := f.head.find(graph, args)
	if err != nil {
		return nil, err
	}
	o.Head = cmp.Or(address, config.HeadServer{Host: "127.0.0.1", Port: config.DefaultHeadPort}.Address())
	if o.Graph, err = fleet.HeadConfig(cmd.Context(), o.Head); err != nil || graph != nil {
		return graph, err
	}
	return o.Graph, o.Graph.Override(f.config.source(cmd.Flags(), args).Overrides)
}

// contradictions finds flags that do not go together.
func (f *evalFlags) contradictions(o *eval.Options, set *pflag.FlagSet) error {
	var problems []error
	say := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if o.MaxRestarts < 0 {
		say("--max-restarts is %d; it must be 0 (the end of a server ends the run) or more", o.MaxRestarts)
	}
	if o.Fused && o.MaxRestarts > 0 {
		say("--fused and --max-restarts contradict each other: servers in this process do not die alone")
	}
	if !f.noServe {
		if f.head.address != "" {
			say("--head needs --no-serve: otherwise the run starts its own servers")
		}
		return errors.Join(problems...)
	}
	for _, c := range [][2]string{
		{"fused", "the servers run already"},
		{"max-restarts", "whoever started the servers restarts them"},
		{"log-dir", "whoever started the servers has their logs"},
		{"traces", "the servers send their traces where they were told at their start"},
		{"view", "the servers send their traces where they were told at their start; lens view takes them"},
		{"model", "the servers have their model"},
		{"model-url", "the servers have their model"},
		{"model-api-key", "the servers have their model"},
	} {
		if set.Changed(c[0]) {
			say("--no-serve and --%s contradict each other: %s", c[0], c[1])
		}
	}
	return errors.Join(problems...)
}
