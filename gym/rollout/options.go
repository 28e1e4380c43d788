package rollout

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/metrics"
)

const (
	// defaultConcurrency bounds a run that asks for no bound. It is what Python's connection pool lets through to one
	// host, whatever the number of its waiting coroutines.
	defaultConcurrency = 1024

	defaultMaxAttempts = 3
	maxAttemptsEnv     = "NEMO_GYM_MAX_ROLLOUT_ATTEMPTS"

	// defaultAgent is the entry of num_repeats for agents that have none.
	defaultAgent = "_default"
)

// Options says what to collect. Input and Output are needed, the rest may be zero.
type Options struct {
	Input  string // JSONL, one task a line, also compressed with gzip or zstd. A resumed run compares it with what it began with
	Output string // JSONL; folders are made. Without Resume it is emptied. Each shard has one of its own, see [Shard.Output]

	Limit        int            // the first rows only; 0 is all
	Repeats      int            // rollouts a row; 0 is 1
	AgentRepeats map[string]int // or rollouts a row by its agent; "_default" is for agents without an entry
	AddSeed      bool           // each rollout of a row gets a seed of its own: its index, in metadata.extra_body
	Prompt       *Prompt        // makes the input of every row; nil: rows bring their own
	Shard        Shard          // the part of the tasks to run
	RunID        string         // the name of the run, the same for all shards; "": made up. A resumed run keeps the one it began with

	Concurrency int              // rollouts in flight; 0 is 1024
	Adapt       bool             // find out how many are best, up to Concurrency; one that a busy server refuses begins again, up to MaxAttempts
	Timeout     time.Duration    // for one rollout; 0 is none
	Resume      bool             // go on where the last run on this output ended
	Force       bool             // also when that one had other options, data or configuration
	Again       bool             // agents that die are started again: a rollout that one did not answer begins again in this run, up to MaxAttempts
	MaxAttempts int              // of one rollout over all runs; 0 is NEMO_GYM_MAX_ROLLOUT_ATTEMPTS, else 3
	Agent       string           // for rows that name none
	Params      responses.Object // laid over each row's responses_create_params, name by name

	Graph *config.Graph // to check agents against, and to name environments; nil: agents are not checked

	DisableAggregation bool
	Progress           io.Writer // a bar on a terminal, else lines; nil: none

	// Watch is told how far the run is, at most four times a second, and once more when no rollout runs any more. Calls follow
	// each other, and the last one has ended when Run returns; no rollout waits for them. Nil: nobody watches.
	Watch func(Progress)

	Captures Captures // what is attached to rows; nil: nothing
	Meter    Meter    // nil: metrics.GymDriver, which records metrics

	once     bool          // Repeats was not given
	patience time.Duration // with an agent that refuses connections and may be started again; 0 is restartPatience

	Traced      bool // telemetry is on: rollouts without a span get a reserved trace id
	SingleTrace bool // rollouts are children of gym.job
}

// check finds what is wrong with the options themselves.
func (o *Options) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Output == "" {
		bad("no output file was given")
	}
	if err := results.CheckOutput(o.Output); err != nil {
		errs = append(errs, err)
	}
	if o.Input == "" && !o.Resume {
		bad("no input file was given")
	}
	if o.Limit < 0 {
		bad("limit is %d; it must be at least 1, or 0 for no limit", o.Limit)
	}
	if o.Repeats < 0 {
		bad("num_repeats is %d; it must be at least 1", o.Repeats)
	}
	if len(o.AgentRepeats) > 0 && o.Repeats > 0 {
		bad("num_repeats is a number and a mapping at once; give one of them")
	}
	for _, agent := range slices.Sorted(maps.Keys(o.AgentRepeats)) {
		if n := o.AgentRepeats[agent]; n < 1 {
			bad("num_repeats of %s is %d; it must be at least 1", agent, n)
		}
	}
	if o.Prompt != nil && o.Params.Has("input") {
		bad("responses_create_params.input is overridden and a prompt was given: one or the other")
	}
	if err := o.Shard.check(); err != nil {
		errs = append(errs, err)
	}
	if o.Concurrency < 0 {
		bad("concurrency is %d; it must be at least 1, or 0 for the default of %d", o.Concurrency, defaultConcurrency)
	}
	if o.Timeout < 0 {
		bad("the rollout timeout is %v; it must be above 0, or 0 for none", o.Timeout)
	}
	if o.MaxAttempts < 0 {
		bad("the number of attempts is %d; it must be at least 1", o.MaxAttempts)
	}
	if o.Graph != nil && o.Agent != "" {
		if text := agentProblem(o.Graph, o.Agent); text != "" {
			bad("the agent given for rows that name none: %s", text)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cannot collect rollouts: %w", err)
	}
	return o.fill()
}

// fill puts defaults into zero fields.
func (o *Options) fill() error {
	if o.Repeats == 0 && len(o.AgentRepeats) == 0 {
		o.Repeats, o.once = 1, true
	}
	if o.patience == 0 {
		o.patience = restartPatience
	}
	if o.Meter == nil {
		o.Meter = metrics.GymDriver{}
	}
	if o.Concurrency == 0 {
		o.Concurrency = defaultConcurrency
	}
	if o.MaxAttempts > 0 {
		return nil
	}
	o.MaxAttempts = defaultMaxAttempts
	text := strings.TrimSpace(os.Getenv(maxAttemptsEnv))
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("cannot collect rollouts: %s is %q; it must be a whole number from 1", maxAttemptsEnv, text)
	}
	o.MaxAttempts = n
	return nil
}
