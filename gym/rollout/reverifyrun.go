package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/internal/printable"
	"github.com/lensgo/lens/semconv"
)

// ReverifySummary is what came of a [Reverification].
type ReverifySummary struct {
	Verified  int            // with a new reward
	Failed    int            // without one
	Classes   map[string]int // of failures
	Discarded int            // answers that asked to be written nowhere
	Skipped   int            // in the output already
	GivenUp   int            // that failed too often before, or for good
	Seeded    int            // results that were taken over as they were
	Missing   int            // not scored, because the run was cut short

	Unsafe                              []string // servers that do not say that their scores can be had again; forced
	Output, FailuresFile, AggregateFile string   // "" when nothing was written
	AggregateErr                        error
}

// Run scores the rollouts: each with one POST to /verify of its resources server, without a session. What a server that is stateful needs
// is gone by now, so such a server is refused, unless the options force it: then the output's name begins with unsafe_. The summary is not
// nil as soon as something may have been written, also with an error.
func (v *Reverification) Run(ctx context.Context, client *wire.Client) (*ReverifySummary, error) {
	if err := v.guard(ctx, client); err != nil {
		return nil, err
	}
	todo := v.remaining()
	j, err := openJournal(v.files, &v.before)
	if err != nil {
		return nil, err
	}
	s := &v.summary
	s.Output, s.Classes = v.files.Output, map[string]int{}
	r := &reverifying{Reverification: v, client: client, journal: j, todo: todo}
	err = r.run(ctx)
	if err == nil && !v.o.DisableAggregation {
		s.AggregateErr = r.aggregate(ctx)
	}
	if j.failures != nil {
		s.FailuresFile = v.files.Failures
	}
	s.Missing = len(todo) - s.Verified - s.Failed - s.Discarded
	return s, errors.Join(err, j.close())
}

// guard asks the servers whether their scores can be had again.
func (v *Reverification) guard(ctx context.Context, client *wire.Client) error {
	if v.o.JudgeFailedOnly {
		return nil
	}
	for _, server := range v.Servers() {
		mode, err := reverifyMode(ctx, client, server)
		if err != nil {
			return err
		}
		if mode != "stateless" {
			v.summary.Unsafe = append(v.summary.Unsafe, fmt.Sprintf("%s (%s)", server, mode))
		}
	}
	if len(v.summary.Unsafe) == 0 {
		return nil
	}
	if names := strings.Join(v.summary.Unsafe, ", "); !v.o.Force {
		return fmt.Errorf("cannot reverify: the scores of %s may depend on a session that is over; --force scores in spite of it, into a file whose name begins with %s", names, unsafePrefix)
	}
	dir, name := filepath.Split(v.o.Output)
	return v.target(filepath.Join(dir, unsafePrefix+name))
}

// reverifyMode is what a server says of its scores; one that does not know the question is unknown.
func reverifyMode(ctx context.Context, client *wire.Client, server string) (mode string, err error) {
	res, err := client.Do(ctx, wire.Call{Server: server, Method: http.MethodGet, Path: "/reverify_mode"})
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot ask %s for its reverify mode: %w", server, err)
	case res.Status == http.StatusNotFound:
		return "unknown", nil
	case res.Err() != nil:
		return "", fmt.Errorf("cannot ask %s for its reverify mode: %w", server, res.Err())
	}
	if err := json.Unmarshal(res.Body, &mode); err != nil {
		return "", fmt.Errorf("cannot ask %s for its reverify mode: its answer is no text: %w", server, err)
	}
	return mode, nil
}

// reverifying is a Reverification at work.
type reverifying struct {
	*Reverification
	client  *wire.Client
	journal *journal
	todo    []key

	mu    sync.Mutex // guards what follows, and the summary
	ended int
	marks []int // percents that are still to be told
}

// run takes over what there is, and scores the rest.
func (r *reverifying) run(ctx context.Context) error {
	if !r.before.resumed {
		if err := r.journal.clear(); err != nil {
			return err
		}
	}
	if err := r.seed(); err != nil {
		return err
	}
	r.marks = []int{20, 40, 60, 80, 90, 95, 98, 99, 100}
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	keys := make(chan key)
	var workers sync.WaitGroup
	for range min(r.o.Concurrency, len(r.todo)) {
		workers.Go(func() {
			for k := range keys {
				if err := r.one(ctx, k); err != nil {
					cut(err)
				}
			}
		})
	}
	for _, k := range r.todo {
		if ctx.Err() != nil {
			break
		}
		select {
		case keys <- k:
		case <-ctx.Done():
		}
	}
	close(keys)
	workers.Wait()
	return context.Cause(ctx)
}

// seed takes over the results when only failed judgements are scored again.
func (r *reverifying) seed() error {
	if !r.o.JudgeFailedOnly {
		return nil
	}
	return r.scored.Each(func(k results.Key, _ string, row responses.Object) error {
		if r.tried.done[key{k.Task, k.Rollout}] {
			return nil
		}
		r.summary.Seeded++
		return r.journal.result(row)
	})
}

// one scores a rollout and writes what came of it. An error ends the run.
func (r *reverifying) one(ctx context.Context, k key) error {
	input, response, err := r.payload(k)
	if err != nil {
		return err
	}
	out := outcome{ending: failed, class: semconv.FailureAgentRun, err: errors.New("its row holds no response that could be scored")}
	if response != nil {
		out = r.verify(ctx, cmp.Or(r.only, r.o.Graph.Environment(agentName(input))), input)
	}
	t := &task{key: k}
	switch out.ending {
	case cancelled:
		return out.err
	case scored:
		err = r.journal.result(complete(out.reply, t, input))
	case failed:
		line := failureRow(t, input, &out)
		if out.class == semconv.FailureJudge && !line.Has(keyResponse) {
			line.Set(keyResponse, response) // so that it can be scored once more
		}
		err = r.journal.failure(line)
	}
	r.count(k, &out)
	return err
}

func agentName(row responses.Object) string {
	ref, _ := row.Sub(keyAgent)
	name, _ := ref.String("name")
	return name
}

// payload is the body of /verify: the row as its agent got it, with the response that it led to.
func (r *reverifying) payload(k key) (input responses.Object, response []byte, err error) {
	at := results.Key{Task: k.task, Rollout: k.rollout}
	rows, err := r.inputs.Get(at)
	if err != nil {
		return input, nil, err
	}
	input = rows[0] // route has looked
	from := r.scored
	if r.o.JudgeFailedOnly {
		from = r.failures
	}
	made, err := from.Get(at)
	if err != nil {
		return input, nil, err
	}
	for _, row := range made { // of several failures the last judgement that failed
		class, _ := row.String(keyFailureClass)
		if v, ok := row.Get(keyResponse); ok && v.Kind() == '{' && (!r.o.JudgeFailedOnly || class == semconv.FailureJudge) {
			response = v
		}
	}
	if response != nil {
		input.Set(keyResponse, response)
	}
	return input, response, nil
}

// verify asks one server for one score.
func (r *reverifying) verify(ctx context.Context, server string, row responses.Object) outcome {
	res, err := r.client.Do(ctx, wire.Call{Server: server, Path: "/verify", Body: row.AppendTo(nil), Timeout: r.o.Timeout})
	switch {
	case err == nil:
		return answered("server "+server, res)
	case ctx.Err() != nil:
		return outcome{ending: cancelled, err: context.Cause(ctx)}
	case errors.Is(err, syscall.ECONNREFUSED): // it would be the same for each rollout to come
		return outcome{ending: cancelled, err: fmt.Errorf("server %s is gone: %w", server, err)}
	case errors.Is(err, context.DeadlineExceeded):
		return outcome{ending: failed, class: semconv.FailureTimeout, err: err}
	}
	return outcome{ending: failed, class: semconv.FailureAgentRequest, err: err}
}

// count adds an outcome up and tells how far it is.
func (r *reverifying) count(k key, out *outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.summary
	switch out.ending {
	case scored:
		s.Verified++
	case discarded:
		s.Discarded++
	case failed:
		s.Failed++
		s.Classes[out.class]++
		if s.Failed <= maxProblems {
			r.sayf("task %d, rollout %d failed with %s: %s", k.task, k.rollout, out.class, out.text())
		}
	}
	r.ended++
	told := false
	for len(r.marks) > 0 && 100*r.ended >= r.marks[0]*len(r.todo) {
		r.marks, told = r.marks[1:], true
	}
	if told {
		r.sayf("reverified %d of %d (%d %%)", r.ended, len(r.todo), 100*r.ended/len(r.todo))
	}
}

func (r *reverifying) sayf(format string, args ...any) {
	if r.o.Progress != nil {
		fmt.Fprintln(r.o.Progress, printable.Line(fmt.Sprintf(format, args...)))
	}
}

// aggregate asks each agent's resources server for the metrics of the whole output.
func (r *reverifying) aggregate(ctx context.Context) (err error) {
	whole, err := results.Open(r.files.Output)
	if err != nil {
		return fmt.Errorf("cannot aggregate: %w", err)
	}
	defer func() { err = errors.Join(err, whole.Close()) }()
	var metrics results.Aggregator
	err = whole.Each(func(_ results.Key, agent string, row responses.Object) error {
		metrics.Add(agent, row)
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot aggregate: %w", err)
	}
	wrote, err := metrics.Write(ctx, r.metrics, r.files.Aggregate)
	if wrote {
		r.summary.AggregateFile = r.files.Aggregate
	}
	return err
}

// metrics has the resources server of an agent compute the metrics of its results.
func (r *reverifying) metrics(ctx context.Context, agent string, body []byte) ([]byte, error) {
	server := cmp.Or(r.only, r.o.Graph.Environment(agent))
	if server == "" { // of a result that was taken over
		return nil, errors.New("the configuration does not say which resources server scores it")
	}
	res, err := r.client.Do(ctx, wire.Call{Server: server, Path: "/aggregate_metrics", Body: body, Timeout: aggregateTimeout})
	if err != nil {
		return nil, err
	}
	return res.Body, res.Err()
}
