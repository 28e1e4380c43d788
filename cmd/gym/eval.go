package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/rollout"
)

// evalFlags are the flags of `gym eval run` that need a second look before they become options.
type evalFlags struct {
	config               configFlags
	input, output, split string
	prompt, shard        string
	temperature, topP    float64
	maxOutputTokens      int
	limit                int
	repeats              repeats
	workers              concurrency
	timeout              time.Duration
	asJSON, view         bool
	noServe              bool
	head                 headFlags
}

func newEvalRun() *cobra.Command {
	var o eval.Options
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "run [KEY=VALUE...]",
		Short: "Start the servers of a configuration, run every task, write the results",
		Long: "Starts one process for each instance of the configuration, runs every row of --input through its agent,\n" +
			"and writes one line a rollout to --output as it finishes. A failed rollout never stops the run: beside\n" +
			"results.jsonl it stands in results_failures.jsonl. Exit codes: 0 all scored, 1 could not start or cut\n" +
			"short, 2 usage, 3 finished with failures, 130 interrupted.",
		Example: "  gym eval run --config config.yaml --input tasks.jsonl --output results.jsonl\n" +
			"  gym eval run --config config.yaml -i tasks.jsonl -o results.jsonl --resume --traces traces.jsonl\n" +
			"  gym eval run --resources-server example_multi_step --model-type openai_model -i t.jsonl -o r.jsonl +responses_create_params.reasoning.effort=low",
		Args: overrides,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, &o, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.config.register(fs)
	fs.StringVarP(&f.input, "input", "i", "", "tasks: a `file` with one JSON object a line")
	fs.StringVarP(&f.output, "output", "o", "", "results: a `file` with one JSON object a line")
	fs.StringVarP(&o.Rollout.Agent, "agent", "a", "", "`name` of the agent for rows that name none")
	fs.IntVar(&f.limit, "limit", 0, "run only the first `n` rows (0: all)")
	fs.StringVar(&f.prompt, "prompt-config", "", "make the input of every row from the templates in `file` (YAML: user, system)")
	fs.Var(&f.repeats, "num-repeats", "rollouts of each row: `n`, or by agent: name=n,_default=n (default 1)")
	fs.BoolVar(&o.Rollout.AddSeed, "num-repeats-add-seed", false, "give each rollout of a row a seed of its own")
	fs.Var(&f.workers, "concurrency", "rollouts at a time: `n` (0: 1024), or auto: as many as servers bear, at most 1024; auto:n, at most n")
	fs.StringVar(&f.shard, "shard", "", "run only part `i/n` of the tasks, 0/4 to 3/4 (default: by SLURM array or Kubernetes indexed job)")
	fs.DurationVar(&f.timeout, "rollout-timeout", 0, "fail a rollout that takes longer, for example 10m (0: no bound)")
	fs.BoolVar(&o.Rollout.Resume, "resume", false, "go on where an earlier run stopped; finished rollouts are not repeated")
	fs.BoolVar(&o.Rollout.Force, "force", false, "with --resume: go on even if configuration, data or options are others than at the beginning")
	fs.StringVar(&o.Traces, "traces", "", "record traces into `file` (OTLP JSON), whatever endpoint is configured")
	fs.BoolVar(&f.view, "view", false, "record traces and serve a page over them, during the run and after it, until Ctrl-C")
	fs.Float64Var(&f.temperature, "temperature", 0, "sampling temperature of every row")
	fs.Float64Var(&f.topP, "top-p", 0, "nucleus sampling of every row")
	fs.IntVar(&f.maxOutputTokens, "max-output-tokens", 0, "token limit of every model call")
	fs.BoolVar(&o.Rollout.DisableAggregation, "disable-aggregation", false, "write no aggregate metrics")
	fs.BoolVar(&f.noServe, "no-serve", false, "start no servers: use those of gym env start, or of the Python system")
	f.head.register(fs, "with --no-serve; default: head_server of the configuration, else 127.0.0.1:11000")
	fs.BoolVar(&o.Fused, "fused", false, "run all servers in this process, without sockets between them: more throughput, one process to debug")
	restartFlag(fs, &o.MaxRestarts)
	fs.StringVar(&o.LogDir, "log-dir", "", "`folder` for one log file a server")
	fs.StringVar(&f.split, "split", "", "without --input: run the data sets of that type, train, validation or benchmark, of the configuration")
	fs.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	fs.BoolVarP(&o.Verbose, "verbose", "v", false, "show the servers' logs")
	return cmd
}

// run collects rollouts as the flags say.
func (f *evalFlags) run(cmd *cobra.Command, o *eval.Options, args []string) error {
	o.Stages.Begin(fleet.StageLoadConfig)
	graph, err := f.config.load(cmd.Flags(), args)
	if err == nil && f.noServe {
		graph, err = f.running(cmd, o, graph, args)
	}
	if err != nil {
		return finish(standardOutput(f.asJSON), f.asJSON, nil, err)
	}
	if err := errors.Join(f.apply(o, graph, cmd.Flags()), f.contradictions(o, cmd.Flags())); err != nil {
		return cli.Usage(cmd, err)
	}
	out := standardOutput(f.asJSON)
	o.Interrupts, o.Stdout, o.Stderr = interrupts, os.Stdout, os.Stderr
	o.Implementations, o.Builders, o.SearchDirs = slices.Sorted(maps.Keys(builders)), builders, f.config.searchDirs
	var watch beside
	if f.view {
		watch = besideRun(filepath.Dir(o.Rollout.Output), o.Rollout.Output, true)
		if o.Traces == "" {
			o.Traces = strings.TrimSuffix(o.Rollout.Output, filepath.Ext(o.Rollout.Output)) + "_traces.jsonl"
		}
		o.Sink = func() (eval.Sink, error) { return watch.open(cmd.Context()) }
		o.Watch = watch.watch
	}
	result, err := eval.Run(cmd.Context(), *o)
	err = finish(out, f.asJSON, result, err)
	return errors.Join(err, watch.finish(cmd.Context(), os.Stdout, result != nil))
}

// apply checks the flags together and writes them into the options.
func (f *evalFlags) apply(o *eval.Options, graph *config.Graph, set *pflag.FlagSet) error {
	var problems []error
	say := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if graph == nil {
		problems = append(problems, errNoConfig)
	}
	if err := f.settings(o, graph, set); err != nil {
		problems = append(problems, err)
	}
	if f.input == "" && f.split == "" {
		say("--input is missing, or --split: name the tasks file, or the data sets of the configuration (train, validation, benchmark)")
	}
	if o.Rollout.Force && !o.Rollout.Resume {
		say("--force needs --resume: a run that is not resumed starts over anyway")
	}
	if f.output == "" {
		say("--output is missing: name the file that results are written to")
	}
	if f.limit < 0 {
		say("--limit is %d; it must be 0 (all rows) or more", f.limit)
	}
	problems = append(problems, f.repeats.problem(), f.workers.problem())
	if f.timeout < 0 {
		say("--rollout-timeout is %v; it must be 0 (no bound) or more", f.timeout)
	}
	notFinite := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	if notFinite(f.temperature) {
		say("--temperature is %v; it must be finite", f.temperature)
	}
	if notFinite(f.topP) {
		say("--top-p is %v; it must be finite", f.topP)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	r := &o.Rollout
	r.Input, r.Output, r.Limit, r.Timeout = f.input, f.output, f.limit, f.timeout
	if err := f.rows(r); err != nil {
		return err
	}
	o.Split = f.split
	if o.Graph == nil { // with --no-serve it is that of the head server
		o.Graph = graph
	}
	f.params(o, set)
	return nil
}

// params collects what overrides every row's create params.
func (f *evalFlags) params(o *eval.Options, set *pflag.FlagSet) {
	number := func(v float64) jsontext.Value { return jsontext.Value(strconv.FormatFloat(v, 'g', -1, 64)) }
	if set.Changed("temperature") {
		o.Rollout.Params.Set("temperature", number(f.temperature))
	}
	if set.Changed("top-p") {
		o.Rollout.Params.Set("top_p", number(f.topP))
	}
	if set.Changed("max-output-tokens") {
		o.Rollout.Params.Set("max_output_tokens", jsontext.Value(strconv.Itoa(f.maxOutputTokens)))
	}
}

// rows puts what chooses and makes rows into the options.
func (f *evalFlags) rows(o *rollout.Options) (err error) {
	if o.Shard, err = f.shardOf(); err != nil {
		return err
	}
	o.Output = o.Shard.Output(o.Output)
	o.Repeats, o.AgentRepeats = f.repeats.all, f.repeats.agents
	o.Concurrency, o.Adapt = f.workers.n, f.workers.auto
	if f.prompt != "" {
		o.Prompt, err = rollout.ReadPrompt(config.Find(f.config.searchDirs, f.prompt))
	}
	return err
}

// shardOf is the shard that the flag names, or what runs this process.
func (f *evalFlags) shardOf() (rollout.Shard, error) {
	if f.shard != "" {
		return rollout.ParseShard(f.shard)
	}
	s, from, err := rollout.ShardFromEnv(os.Getenv)
	if err == nil && s.Count > 1 {
		fmt.Fprintf(os.Stderr, "This is shard %s, by %s; --shard 0/1 runs everything.\n", s, from)
	}
	return s, err
}
