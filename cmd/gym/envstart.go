package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/fleet"
)

func newEnvStart() *cobra.Command {
	var f configFlags
	var o eval.ServeOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "start [KEY=VALUE...]",
		Short: "Start the servers of a configuration and keep them until Ctrl-C",
		Long: "Starts one process for each instance, and a head server that tells drivers of them: gym eval run --no-serve,\n" +
			"or one of the Python system. The head server listens on head_server.host and .port (127.0.0.1:11000).",
		Example: "  gym env start --config config.yaml\n  gym env start --resources-server example_multi_step --model-type synthetic_model ++head_server.port=11001",
		Args:    overrides,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Stages.Begin(fleet.StageLoadConfig)
			graph, err := f.must(cmd, args)
			if err != nil {
				return err
			}
			if o.MaxRestarts < 0 {
				return cli.Usage(cmd, fmt.Errorf("--max-restarts is %d; it must be 0 (any end of a server ends all) or more", o.MaxRestarts))
			}
			for _, note := range graph.Notes {
				fmt.Fprintln(os.Stderr, note)
			}
			out := standardOutput(asJSON)
			o.Graph, o.SearchDirs, o.Implementations = graph, f.searchDirs, slices.Sorted(maps.Keys(builders))
			o.Interrupts, o.Stdout, o.Stderr = interrupts, os.Stdout, os.Stderr
			o.Started = func(head string, servers []fleet.Instance) error {
				if asJSON {
					return printJSONTo(out, status{Head: head, Servers: servers})
				}
				return printServers(out, head, servers, "Ctrl-C or gym env stop ends them")
			}
			return eval.Serve(cmd.Context(), o)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.register(fs)
	restartFlag(fs, &o.MaxRestarts)
	fs.StringVar(&o.LogDir, "log-dir", "", "`folder` for one log file a server")
	fs.BoolVar(&asJSON, "json", false, "print what runs as JSON, once it does")
	fs.BoolVarP(&o.Verbose, "verbose", "v", false, "show the servers' logs")
	return cmd
}
