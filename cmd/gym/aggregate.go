package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/internal/printable"
)

// aggregateTimeout bounds one agent's aggregation, which is arithmetic.
const aggregateTimeout = 5 * time.Minute

func newEvalAggregate() *cobra.Command {
	var o results.MergeOptions
	var f configFlags
	var pattern string
	var merge bool
	cmd := &cobra.Command{
		Use:   "aggregate [KEY=VALUE...]",
		Short: "Merge the results of shards and compute their metrics",
		Long: "Reads the files of results that the patterns of --input-glob match, each once, and writes the metrics over all of\n" +
			"them beside --output. Unless --merge-shards=false it also writes one sorted file of results, and of the inputs\n" +
			"and failures that stand beside them. With a configuration its servers are started and each agent computes\n" +
			"its metrics, with what its environment adds; without one the statistics that every run has are computed.",
		Example: "  gym eval aggregate --input-glob 'out/shard*.jsonl' --output out/results.jsonl\n" +
			"  gym eval aggregate --config config.yaml -i out/a.jsonl,out/b.jsonl -o out/results.jsonl",
		Args: overrides,
		RunE: func(cmd *cobra.Command, args []string) error {
			graph, err := f.load(cmd.Flags(), args)
			if err != nil {
				return err
			}
			err = fromConfig(graph, cmd.Flags(), setting{"input-glob", "input_glob", &pattern},
				setting{"output", "output_jsonl_fpath", &o.Output}, setting{"merge-shards", "merge_shards", &merge})
			if err != nil {
				return cli.Usage(cmd, err)
			}
			if pattern == "" || o.Output == "" {
				return cli.Usage(cmd, errors.New("--input-glob and --output are needed: the files of results, and the file to merge them into"))
			}
			o.Patterns, o.MetricsOnly = []string{pattern}, !merge
			return aggregate(cmd.Context(), cmd.OutOrStdout(), o, serversOptions(graph, f.searchDirs))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&pattern, "input-glob", "i", "", "results: a `pattern`, or several with commas between")
	fs.StringVarP(&o.Output, "output", "o", "", "merged results: a `file`; the metrics stand beside it")
	fs.BoolVar(&merge, "merge-shards", true, "write one file of results; =false writes the metrics only")
	f.register(fs)
	return cmd
}

func aggregate(ctx context.Context, w io.Writer, o results.MergeOptions, servers eval.ServersOptions) (err error) {
	s, err := results.OpenShards(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var m *results.Merged
	if servers.Graph == nil {
		m, err = s.Merge(ctx, nil)
	} else {
		for _, agent := range s.Agents() {
			if in := servers.Graph.Instance(agent); in == nil || in.Type != config.TypeAgent {
				return fmt.Errorf("cannot aggregate: the configuration has no agent %q, which results name", agent)
			}
		}
		err = eval.WithServers(ctx, servers, func(ctx context.Context, client *wire.Client) (err error) {
			m, err = s.Merge(ctx, func(ctx context.Context, agent string, body []byte) ([]byte, error) {
				res, err := client.Do(ctx, wire.Call{Server: agent, Path: "/aggregate_metrics", Body: body, Timeout: aggregateTimeout})
				if err != nil {
					return nil, err
				}
				return res.Body, res.Err()
			})
			return err
		})
	}
	if m != nil {
		writeMerged(w, m, servers.Graph == nil)
	}
	return interrupted(err)
}

func writeMerged(w io.Writer, m *results.Merged, plain bool) {
	for _, note := range m.Notes {
		fmt.Fprintf(w, "note: %s\n", printable.Line(note))
	}
	fmt.Fprintf(w, "%d results of %d files, agents %s\n", m.Rollouts, len(m.Shards), printable.Line(strings.Join(m.Agents, ", ")))
	if m.Expected > 0 {
		fmt.Fprintf(w, "%d rollouts expected, %d scored, %d failed, %d missing\n", m.Expected, m.Rollouts, m.Failed, m.Expected-m.Rollouts-m.Failed)
	}
	for _, path := range m.Written {
		fmt.Fprintf(w, "wrote %s\n", path)
	}
	if plain && m.Aggregate != "" {
		fmt.Fprintln(w, "metrics hold the statistics that every run has; --config adds what environments compute")
	}
}
