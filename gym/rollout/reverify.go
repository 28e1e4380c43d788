package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/semconv"
)

// unsafePrefix marks the files of a verification that nobody vouches for.
const unsafePrefix = "unsafe_"

// ReverifyOptions say which rollouts to score again. Rollouts, Output and Graph are needed, the rest may be zero.
type ReverifyOptions struct {
	Inputs   string // the materialized inputs; "" is what stands beside Rollouts
	Rollouts string // results of a run
	Output   string // results with new rewards

	Graph       *config.Graph // which resources server scores which agent's rollouts
	Limit       int           // the first rollouts only; 0 is all
	Concurrency int           // verifications in flight; 0 is 1024
	Timeout     time.Duration // for one verification; 0 is none
	MaxAttempts int           // of one rollout over all runs; 0 is NEMO_GYM_MAX_ROLLOUT_ATTEMPTS, else 3

	Force     bool // score also by servers that do not say that a score is a function of the request alone
	Overwrite bool // empty an output that is there
	Resume    bool // go on with an output that is there

	// JudgeFailedOnly takes over the results as they are, and scores only rollouts of the failures file whose judge failed.
	// Append adds these to an output that is there, for instance to Rollouts itself.
	JudgeFailedOnly, Append bool

	DisableAggregation bool
	Progress           io.Writer // nil: none
}

// Reverification is ready to start. PrepareReverify makes it, Run uses it up, Close closes its files.
type Reverification struct {
	o        ReverifyOptions
	files    results.Files
	before   before
	tried    tried
	inputs   *results.Set
	scored   *results.Set // the results
	failures *results.Set // of the run; nil unless JudgeFailedOnly
	servers  []string     // that score, sorted
	only     string       // the one that scores all, when the configuration has no agents
	all      []key        // what is to be scored, before what is done already is taken out
	notes    []string
	summary  ReverifySummary
}

// tried is what earlier calls left in the output.
type tried struct {
	done     map[key]bool // those with a result
	attempts map[key]int  // failed ones
	terminal map[key]bool // failed for good
}

func newTried() tried {
	return tried{done: map[key]bool{}, attempts: map[key]int{}, terminal: map[key]bool{}}
}

// PrepareReverify reads and checks all that can be checked before a server runs. It changes nothing on disk.
func PrepareReverify(o ReverifyOptions) (_ *Reverification, err error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("cannot reverify: %w", err)
	}
	v := &Reverification{o: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	if err := v.open(); err != nil {
		return nil, err
	}
	if err := v.target(o.Output); err != nil {
		return nil, err
	}
	if err := v.choose(); err != nil {
		return nil, err
	}
	return v, v.route()
}

// check finds what is wrong with the options themselves, and fills in defaults.
func (o *ReverifyOptions) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Rollouts == "" {
		bad("no results were named")
	}
	if o.Output == "" {
		bad("no output file was given")
	}
	if o.Limit < 0 {
		bad("limit is %d; it must be at least 1, or 0 for no limit", o.Limit)
	}
	if o.Concurrency < 0 {
		bad("concurrency is %d; it must be at least 1, or 0 for the default of %d", o.Concurrency, defaultConcurrency)
	}
	if o.Timeout < 0 {
		bad("the timeout is %v; it must be above 0, or 0 for none", o.Timeout)
	}
	if o.Append && !o.JudgeFailedOnly {
		bad("appending goes with scoring failed judgements only: it adds to results that are there")
	}
	if o.Append && o.Overwrite {
		bad("appending and overwriting contradict each other")
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	attempts := Options{MaxAttempts: o.MaxAttempts}
	if err := attempts.fill(); err != nil {
		return err
	}
	o.MaxAttempts = attempts.MaxAttempts
	if o.Concurrency == 0 {
		o.Concurrency = defaultConcurrency
	}
	return nil
}

// open indexes the files of the run that was.
func (v *Reverification) open() (err error) {
	from := results.FilesOf(v.o.Rollouts)
	if v.o.Inputs == "" {
		if v.o.Inputs = results.Find(from.Materialized); v.o.Inputs == "" {
			return fmt.Errorf("cannot reverify %s: %s does not exist; name the materialized inputs", v.o.Rollouts, from.Materialized)
		}
	}
	if v.inputs, err = results.Open(v.o.Inputs); err != nil {
		return err
	}
	var scored, failed []string
	if !v.o.JudgeFailedOnly {
		scored = append(scored, v.o.Rollouts)
	} else {
		if found := results.Find(v.o.Rollouts); found != "" { // without one every rollout failed
			scored = append(scored, found)
		}
		if found := results.Find(from.Failures); found != "" {
			failed = append(failed, found)
		}
		if len(scored)+len(failed) == 0 {
			return fmt.Errorf("cannot reverify %s: neither it nor %s exists", v.o.Rollouts, from.Failures)
		}
	}
	if v.scored, err = results.Open(scored...); err != nil {
		return err
	}
	if v.failures, err = results.OpenFailures(failed...); err != nil {
		return err
	}
	for _, s := range []*results.Set{v.inputs, v.scored, v.failures} {
		v.notes = append(v.notes, s.Notes()...)
	}
	return nil
}

// target makes an output this one's, if that may be, and reads what is in it.
func (v *Reverification) target(output string) error {
	v.files, v.before, v.tried = results.FilesOf(output), before{}, newTried()
	if err := cmp.Or(v.clash(), results.CheckOutput(output)); err != nil {
		return err
	}
	if err := probeLock(v.files.Output); err != nil {
		return err
	}
	there := ""
	for _, path := range []string{v.files.Output, v.files.Failures} {
		if _, err := os.Stat(path); err == nil {
			there = path
			break
		}
	}
	switch {
	case there == "" || v.o.Overwrite && !v.o.Resume:
		return nil
	case !v.o.Resume && !v.o.Append:
		return fmt.Errorf("cannot reverify into %s: %s exists; overwrite it (--overwrite), go on with it (--resume), or name another output", output, there)
	}
	return v.readBefore()
}

// clash refuses files that would be read and written at once. To append to the results themselves is what appending is for.
func (v *Reverification) clash() error {
	read := []string{v.o.Inputs, v.o.Rollouts, results.FilesOf(v.o.Rollouts).Failures}
	written := []string{v.files.Output, v.files.Failures, v.files.Aggregate}
	if v.o.Append {
		read = read[:1]
	}
	for _, in := range read {
		info, err := os.Stat(in)
		if err != nil {
			continue
		}
		for _, out := range written {
			if other, err := os.Stat(out); err == nil && os.SameFile(info, other) {
				return fmt.Errorf("cannot reverify %s into %s: it would overwrite %s, which it reads; name another output", v.o.Rollouts, v.files.Output, in)
			}
		}
	}
	return nil
}

// readBefore reads what an earlier call left in the output.
func (v *Reverification) readBefore() (err error) {
	b := &v.before
	b.resumed = true
	b.output, err = readRows(v.files.Output, func(_ jsonl.Line, row responses.Object) string {
		k, ok := keyOf(row)
		v.tried.done[k] = true
		return keyed(ok)
	})
	if err != nil {
		return err
	}
	b.failures, err = readRows(v.files.Failures, func(_ jsonl.Line, row responses.Object) string {
		k, ok := keyOf(row)
		v.tried.attempts[k]++
		if terminal, _ := row.Bool(keyTerminal); terminal {
			v.tried.terminal[k] = true
		}
		return keyed(ok)
	})
	for path, e := range map[string]extent{v.files.Output: b.output, v.files.Failures: b.failures} {
		if e.torn > 0 {
			v.notes = append(v.notes, fmt.Sprintf("the last line of %s was torn: its %d bytes are cut off, as if it had not been written", path, e.torn))
		}
	}
	return err
}

func keyed(ok bool) string {
	if ok {
		return ""
	}
	return "it has no " + keyTask + " and " + keyRollout
}

// choose lists what is to be scored.
func (v *Reverification) choose() error {
	if v.o.JudgeFailedOnly {
		err := v.failures.Each(func(k results.Key, _ string, row responses.Object) error {
			at := key{k.Task, k.Rollout}
			class, _ := row.String(keyFailureClass)
			if class == semconv.FailureJudge && !v.scored.Has(k) && !v.tried.done[at] && (len(v.all) == 0 || v.all[len(v.all)-1] != at) {
				v.all = append(v.all, at)
			}
			return nil
		})
		if err != nil {
			return err
		}
	} else {
		for k := range v.scored.Keys() {
			v.all = append(v.all, key{k.Task, k.Rollout})
		}
	}
	if v.o.Limit > 0 {
		v.all = v.all[:min(len(v.all), v.o.Limit)]
	}
	return nil
}

// remaining leaves out what is done, or is not to be tried again.
func (v *Reverification) remaining() []key {
	var list []key
	for _, k := range v.all {
		switch b := &v.tried; {
		case b.done[k]:
			v.summary.Skipped++
		case !v.o.Append && (b.terminal[k] || b.attempts[k] >= v.o.MaxAttempts):
			v.summary.GivenUp++
		default:
			list = append(list, k)
		}
	}
	return list
}

// route finds the resources servers, and says all that is wrong at once.
func (v *Reverification) route() error {
	if err := v.alone(); err != nil {
		return err
	}
	agents := map[string]bool{}
	var wrong []string
	for _, k := range v.all {
		agent, ok := v.inputs.Agent(results.Key{Task: k.task, Rollout: k.rollout})
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("task %d, rollout %d does not stand in %s", k.task, k.rollout, v.o.Inputs))
		case agents[agent]:
		default:
			agents[agent] = true
			if text := v.scorer(agent); text != "" {
				wrong = append(wrong, text)
			}
		}
	}
	slices.Sort(v.servers)
	v.servers = slices.Compact(v.servers)
	if len(wrong) == 0 {
		return nil
	}
	if more := len(wrong) - maxProblems; more > 0 {
		wrong = append(wrong[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("cannot reverify %s: %s", v.o.Rollouts, strings.Join(wrong, "; "))
}

// alone finds the server that scores everything when the configuration has no agents.
func (v *Reverification) alone() error {
	if len(v.o.Graph.Names(config.TypeAgent)) > 0 {
		return nil
	}
	servers := v.o.Graph.Names(config.TypeResources)
	if len(servers) == 0 {
		return errors.New("cannot reverify: the configuration has no resources server")
	}
	if len(servers) > 1 {
		return fmt.Errorf("cannot reverify: the configuration has no agents that say which of its resources servers (%s) scores what", strings.Join(servers, ", "))
	}
	v.only = servers[0]
	v.notes = append(v.notes, fmt.Sprintf("the configuration has no agents: every rollout is scored by %s, whatever its agent", v.only))
	return nil
}

// scorer adds the server that scores an agent's rollouts. The text says why there is none.
func (v *Reverification) scorer(agent string) string {
	server := v.only
	if server == "" {
		if text := agentProblem(v.o.Graph, agent); text != "" {
			return text
		}
		if server = v.o.Graph.Environment(agent); server == "" {
			return fmt.Sprintf("agent %q names no resources server", agent)
		}
	}
	v.servers = append(v.servers, server)
	return ""
}

// Notes are things that a user should know before the servers start.
func (v *Reverification) Notes() []string { return slices.Clone(v.notes) }

// Servers are the resources servers that will score, sorted.
func (v *Reverification) Servers() []string { return slices.Clone(v.servers) }

// Close closes the files of the run that was.
func (v *Reverification) Close() error {
	var errs []error
	for _, s := range []*results.Set{v.inputs, v.scored, v.failures} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
