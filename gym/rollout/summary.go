package rollout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/lensgo/lens/gym/responses"
)

// maxFailures bounds how many failures a summary spells out.
const maxFailures = 20

// Summary is what a run did. Expected is the sum of Skipped, GivenUp, Scored, Failed, Discarded and Missing.
type Summary struct {
	Expected  int // rollouts that the output is to hold in the end
	Skipped   int // had a result before this run (Resume)
	GivenUp   int // failed for good, or as often as allowed, before this run (Resume); not run again
	Scored    int // have a result by this run
	Failed    int // failed in this run
	Discarded int // ended with an answer that asks not to be kept; run again by Resume
	Missing   int // did not begin, or did not end
	Again     int // attempts that failed and were followed by another in this run; they are none of the above

	// Interrupted says that something is missing because the run was drained or its context ended.
	Interrupted bool

	Agents         []AgentSummary // in the order in which rows name them
	FailureClasses map[string]int // failures of this run by class
	Failures       []Failure      // the first of them
	Elapsed        time.Duration
	Notes          []string // as Plan.Notes

	Output           string
	MaterializedFile string
	FailuresFile     string // "" when there is none
	AggregateFile    string // "" when none was written
	AggregateErr     error  // why aggregates are missing, wholly or for some agents
}

// AgentSummary is one agent's part, and so one environment's. Tasks, Expected, Rollouts and MeanReward are about the
// whole output, the rest is about this run.
type AgentSummary struct {
	Agent       string
	Environment string // the resources server that the agent names; "" when unknown
	Tasks       int    // different task indexes
	Expected    int
	Rollouts    int     // with a result
	MeanReward  float64 // over the results that have one; NaN when none has
	Failed      int

	// P50 and P95 are the durations of this run's scored rollouts, from admission to the whole answer, by nearest rank:
	// of n durations in order, the one at place ceil(p*n), counted from 1. 0 when there is none.
	P50, P95 time.Duration
}

// Failure is one rollout without a result.
type Failure struct {
	ID            string
	Task, Rollout int
	Line          int // of the input file (of the materialized inputs in a resumed run)
	Agent         string
	Class         string
	Text          string
}

// String names the rollout, its row and its agent, and says what happened; of a text as long as a proxy's page the beginning.
func (f Failure) String() string {
	return fmt.Sprintf("rollout %s (row %d, line %d; agent %s): %s: %s", f.ID, f.Task, f.Line, f.Agent, f.Class, beginning(f.Text))
}

// beginning is what a person reads of a text; the failures file has all of it.
func beginning(text string) string {
	const most = 800
	if len(text) <= most {
		return text
	}
	head := text[:most]
	for !utf8.RuneStart(text[len(head)]) {
		head = head[:len(head)-1]
	}
	return fmt.Sprintf("%s... (%d bytes in all)", head, len(text))
}

// stats counts while a run goes on. Safe for concurrent use.
type stats struct {
	plan *Plan

	mu        sync.Mutex
	began     time.Time
	counts    [discarded + 1]int
	classes   map[string]int
	failures  []Failure
	agents    []agentStats
	remaining int
	running   int // of them
	again     int
}

type agentStats struct {
	tally
	left      int
	failed    int
	durations []time.Duration
	fields    []field // running means of the answers' numbers, in the order in which they appeared
}

// tally is one agent's part of the whole output.
type tally struct {
	tasks    int // different ones
	expected int
	results  int
	rewards  mean
}

// add counts a result.
func (t *tally) add(reward float64, hasReward bool) {
	t.results++
	if hasReward {
		t.rewards.add(reward)
	}
}

// tally counts what is planned, before it is known what is done already.
func (p *Plan) tally() {
	p.tallies = make([]tally, len(p.agents))
	type part struct {
		agent int32
		task  int
	}
	parts := make([]part, len(p.tasks))
	for i, t := range p.tasks {
		parts[i] = part{t.agent, t.task}
		p.tallies[t.agent].expected++
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.task, b.task)) })
	for _, one := range slices.Compact(parts) {
		p.tallies[one.agent].tasks++
	}
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m mean) value() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.sum / float64(m.n)
}

type field struct {
	name string
	mean
}

func newStats(p *Plan) *stats {
	s := &stats{plan: p, began: time.Now(), classes: map[string]int{}, agents: make([]agentStats, len(p.agents)), remaining: len(p.tasks)}
	for i := range s.agents {
		s.agents[i].tally = p.tallies[i]
	}
	for i := range p.tasks {
		s.agents[p.tasks[i].agent].left++
	}
	for i := range s.agents {
		a := &s.agents[i]
		a.durations = make([]time.Duration, 0, a.left)
	}
	return s
}

// begin counts one rollout that begins.
func (s *stats) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
}

// add counts one rollout that has ended.
func (s *stats) add(t *task, id string, out *outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if out.again {
		s.again++
		return
	}
	s.counts[out.ending]++
	if out.ending == cancelled {
		return
	}
	a := &s.agents[t.agent]
	a.left--
	s.remaining--
	switch out.ending {
	case scored:
		a.score(out)
	case failed:
		a.failed++
		s.classes[out.class]++
		if len(s.failures) < maxFailures {
			s.failures = append(s.failures, s.failure(t, id, out))
		}
	}
}

func (s *stats) failure(t *task, id string, out *outcome) Failure {
	return Failure{
		ID: id, Task: t.task, Rollout: t.rollout, Line: int(t.line),
		Agent: s.plan.agents[t.agent], Class: out.class, Text: out.text(),
	}
}

// score takes the numbers of an answer.
func (a *agentStats) score(out *outcome) {
	reward, hasReward := out.reply.Number(keyReward)
	a.add(reward, hasReward)
	a.durations = append(a.durations, out.duration)
	for name, v := range out.reply.All() {
		if name == "" || name[0] == '_' {
			continue
		}
		switch v.Kind() {
		case '0', 't', 'f':
			a.field(name, out.reply)
		}
	}
}

func (a *agentStats) field(name string, reply responses.Object) {
	v, ok := reply.Number(name)
	if !ok {
		return
	}
	i := slices.IndexFunc(a.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		const most = 50 // answers with endless different names must not fill the memory, nor the screen
		if len(a.fields) == most {
			return
		}
		a.fields = append(a.fields, field{name: name})
		i = len(a.fields) - 1
	}
	a.fields[i].add(v)
}

// results is the number of results on disk.
func (s *stats) results() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.agents {
		n += s.agents[i].results
	}
	return n
}

// missing is the number of tasks that have not ended.
func (s *stats) missing() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remaining
}

// summary closes the count.
func (r *run) summary(cut bool) *Summary {
	s := r.stats
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := &Summary{
		Expected: r.expected, Skipped: r.before.scored, GivenUp: r.before.givenUp,
		Scored: s.counts[scored], Failed: s.counts[failed], Discarded: s.counts[discarded], Missing: s.remaining, Again: s.again,
		Interrupted:    s.remaining > 0 && (cut || r.draining()),
		FailureClasses: s.classes, Failures: s.failures, Elapsed: time.Since(s.began), Notes: r.Notes(),
		Output: r.files.Output, MaterializedFile: r.files.Materialized,
	}
	if sum.Failed > 0 || sum.Again > 0 || r.before.failures.whole > 0 {
		sum.FailuresFile = r.files.Failures
	}
	for i, a := range s.agents {
		slices.Sort(a.durations)
		sum.Agents = append(sum.Agents, AgentSummary{
			Agent: r.agents[i], Environment: r.o.Graph.Environment(r.agents[i]),
			Tasks: a.tasks, Expected: a.expected, Rollouts: a.results, MeanReward: a.rewards.value(), Failed: a.failed,
			P50: nearestRank(a.durations, 50), P95: nearestRank(a.durations, 95),
		})
	}
	return sum
}

// nearestRank is the percentile of sorted durations.
func nearestRank(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (percent*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}

// Environments is the summary's agents by environment, then by agent.
func (s *Summary) Environments() []AgentSummary {
	out := slices.Clone(s.Agents)
	slices.SortStableFunc(out, func(a, b AgentSummary) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.Agent, b.Agent))
	})
	return out
}
