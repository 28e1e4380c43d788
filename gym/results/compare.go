package results

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/passk"
)

// Comparison is two runs, task by task: the comparison that the viewer makes of traces, of result files. Tasks are matched by agent and
// index. The JSON names are the viewer's; numbers that do not exist are null.
type Comparison struct {
	A            Compared         `json:"a"`
	B            Compared         `json:"b"`
	K            int              `json:"k"`             // the most scored rollouts that both have for a task; 0: none
	All          Difference       `json:"all"`           // over the tasks that both have scored
	Agents       []Difference     `json:"agents"`        // most tasks first
	Tasks        []TaskDifference `json:"tasks"`         // the worst regression first; tasks of one run last
	OnlyA        int              `json:"only_a"`        // tasks that the other run has not
	OnlyB        int              `json:"only_b"`        //
	OtherInput   int              `json:"other_input"`   // tasks of both whose input is not the same
	InputUnknown bool             `json:"input_unknown"` // a run has no materialized inputs, so nobody knows whether tasks are the same
	Notes        []string         `json:"notes,omitzero"`
}

// Compared is one of the two runs.
type Compared struct {
	File   string   `json:"file"`
	Tasks  int      `json:"tasks"`
	Scored int      `json:"scored"` // rollouts with a reward
	Failed int      `json:"failed"` // rollouts with failures and without a result
	Mean   *float64 `json:"mean"`   // reward over all scored rollouts
}

// Difference is an agent, or all of them. Means are over tasks.
type Difference struct {
	Agent          string   `json:"agent,omitzero"`
	Tasks          int      `json:"tasks"`
	AMean          *float64 `json:"a_mean"`
	BMean          *float64 `json:"b_mean"`
	Difference     *float64 `json:"difference"`
	APass          *float64 `json:"a_pass"` // pass@K
	BPass          *float64 `json:"b_pass"`
	PassDifference *float64 `json:"pass_difference"`
	Worse          int      `json:"worse"`
	Better         int      `json:"better"`
}

// TaskDifference is a task of both runs, or of one.
type TaskDifference struct {
	Agent          string   `json:"agent"`
	Task           int      `json:"task"`
	AMean          *float64 `json:"a_mean"`
	BMean          *float64 `json:"b_mean"`
	Difference     *float64 `json:"difference"` // B minus A
	APass          *float64 `json:"a_pass"`
	BPass          *float64 `json:"b_pass"`
	PassDifference *float64 `json:"pass_difference"`
	AN             int      `json:"a_n"` // scored rollouts
	BN             int      `json:"b_n"`
	AFailed        int      `json:"a_failed"`
	BFailed        int      `json:"b_failed"`
	OtherInput     bool     `json:"other_input,omitzero"`
}

// taskKey is what tasks are matched by.
type taskKey struct {
	agent string
	task  int
}

// taskSide is one run's part of a task.
type taskSide struct {
	rewards []float64 // in the order of the rollouts
	failed  int
	input   [sha256.Size]byte
	known   bool // the input
}

// runSide is one run.
type runSide struct {
	Compared
	tasks  map[taskKey]*taskSide
	inputs bool
	notes  []string
}

// Compare compares two runs, of which it keeps the rewards and a digest of each task's input.
func Compare(a, b Files) (*Comparison, error) {
	ra, err := readSide(a)
	if err != nil {
		return nil, err
	}
	rb, err := readSide(b)
	if err != nil {
		return nil, err
	}
	c := &Comparison{A: ra.Compared, B: rb.Compared, InputUnknown: !ra.inputs || !rb.inputs, Notes: slices.Concat(ra.notes, rb.notes)}
	for k, one := range ra.tasks {
		if two := rb.tasks[k]; two != nil {
			c.K = max(c.K, min(len(one.rewards), len(two.rewards)))
		} else {
			c.OnlyA++
		}
	}
	none := &taskSide{}
	for k, one := range ra.tasks {
		c.Tasks = append(c.Tasks, difference(k, one, cmp.Or(rb.tasks[k], none), c.K))
	}
	for k, two := range rb.tasks {
		if ra.tasks[k] == nil {
			c.OnlyB++
			c.Tasks = append(c.Tasks, difference(k, none, two, c.K))
		}
	}
	slices.SortFunc(c.Tasks, TaskDifference.compare)
	c.sum()
	return c, nil
}

// readSide reads one run.
func readSide(f Files) (_ *runSide, err error) {
	if Find(f.Output) == "" && Find(f.Materialized) == "" {
		return nil, fmt.Errorf("cannot compare %s: it does not exist", f.Output)
	}
	s := &runSide{Compared: Compared{File: strings.ToValidUTF8(f.Output, "\uFFFD")}, tasks: map[taskKey]*taskSide{}}
	done := map[Key]bool{}
	if Find(f.Output) != "" {
		if err := s.results(f.Output, done); err != nil {
			return nil, err
		}
	}
	agents := map[Key]string{}
	if path := Find(f.Materialized); path != "" {
		s.inputs = true
		if err := s.materialized(path, agents); err != nil {
			return nil, err
		}
	}
	if path := Find(f.Failures); path != "" {
		if err := s.failures(path, done, agents); err != nil {
			return nil, err
		}
	}
	s.Tasks = len(s.tasks)
	return s, nil
}

func (s *runSide) read(path string, each func(k Key, r Row) error) error {
	torn, err := Read(path, func(r Row) error {
		k, err := r.Key()
		if err != nil {
			return err
		}
		return each(k, r)
	})
	if torn != nil {
		s.notes = append(s.notes, strings.ToValidUTF8(torn.String(), "\uFFFD"))
	}
	return err
}

func (s *runSide) task(agent string, task int) *taskSide {
	k := taskKey{agent, task}
	t := s.tasks[k]
	if t == nil {
		k.agent = strings.Clone(agent)
		t = &taskSide{}
		s.tasks[k] = t
	}
	return t
}

// results reads the rewards. Of a rollout with two results the first counts.
func (s *runSide) results(path string, done map[Key]bool) error {
	type reward struct {
		task    *taskSide
		rollout int
		value   float64
	}
	var rewards []reward
	var each []float64
	err := s.read(path, func(k Key, r Row) error {
		if done[k] {
			return nil
		}
		done[k] = true
		t := s.task(r.Agent(), k.Task)
		if v, ok := r.Number(keyReward); ok {
			rewards = append(rewards, reward{t, k.Rollout, v})
			each = append(each, v)
		}
		return nil
	})
	slices.SortStableFunc(rewards, func(a, b reward) int { return cmp.Compare(a.rollout, b.rollout) })
	for _, r := range rewards {
		r.task.rewards = append(r.task.rewards, r.value)
	}
	s.Scored, s.Mean = len(each), meanOf(each)
	return err
}

// materialized reads what the tasks were.
func (s *runSide) materialized(path string, agents map[Key]string) error {
	names := map[string]string{}
	return s.read(path, func(k Key, r Row) error {
		name, ok := names[r.Agent()]
		if !ok {
			name = strings.Clone(r.Agent())
			names[name] = name
		}
		agents[k] = name
		if t := s.task(name, k.Task); !t.known {
			t.input, t.known = digest(r.Object), true
		}
		return nil
	})
}

// digest is of what makes a task: its input and the environment's members, not the parameters of the model, which two runs that
// are compared mostly differ in.
func digest(row responses.Object) [sha256.Size]byte {
	params, _ := row.Sub(keyParams)
	h := sha256.New()
	write := func(name string, v jsontext.Value) {
		v = slices.Clone(v)
		_ = v.Compact() // it is valid
		fmt.Fprintf(h, "%q %d ", name, len(v))
		h.Write(v)
	}
	for _, name := range []string{"input", "instructions", "tools"} {
		if v, ok := params.Get(name); ok {
			write(name, v)
		}
	}
	for name, v := range row.All() {
		if name != keyParams && name != keyAgent && name != "skills_ref" && !strings.HasPrefix(name, "_ng_") {
			write(name, v)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// failures counts the rollouts that failed and have no result.
func (s *runSide) failures(path string, done map[Key]bool, agents map[Key]string) error {
	return s.read(path, func(k Key, r Row) error {
		if done[k] {
			return nil
		}
		done[k] = true
		agent := r.Agent()
		if agent == "" { // Python's rows may name none
			agent = agents[k]
		}
		s.task(agent, k.Task).failed++
		s.Failed++
		return nil
	})
}

func difference(k taskKey, a, b *taskSide, pass int) TaskDifference {
	d := TaskDifference{
		Agent: k.agent, Task: k.task, AN: len(a.rewards), BN: len(b.rewards), AFailed: a.failed, BFailed: b.failed,
		AMean: meanOf(slices.Clone(a.rewards)), BMean: meanOf(slices.Clone(b.rewards)), APass: passOf(a.rewards, pass), BPass: passOf(b.rewards, pass),
		OtherInput: a.known && b.known && a.input != b.input,
	}
	d.Difference, d.PassDifference = minus(d.BMean, d.AMean), minus(d.BPass, d.APass)
	return d
}

func passOf(rewards []float64, k int) *float64 {
	if p, ok := passk.Task(rewards, k); ok {
		return &p
	}
	return nil
}

func minus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a - *b)
}

// meanOf is nil of nothing. It sorts the values.
func meanOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return new(passk.Average(values))
}

// compare puts the worst regression first.
func (d TaskDifference) compare(o TaskDifference) int {
	rank := func(d TaskDifference) int {
		switch {
		case d.Difference != nil:
			return 0
		case d.AN+d.AFailed > 0 && d.BN+d.BFailed > 0:
			return 1
		}
		return 2
	}
	value := func(f *float64) float64 {
		if f == nil {
			return 0
		}
		return *f
	}
	return cmp.Or(cmp.Compare(rank(d), rank(o)), cmp.Compare(value(d.Difference), value(o.Difference)),
		cmp.Compare(value(d.PassDifference), value(o.PassDifference)), cmp.Compare(d.Task, o.Task), strings.Compare(d.Agent, o.Agent))
}

// sums are the values of tasks that both runs have scored.
type sums struct {
	d            Difference
	a, b, ap, bp []float64
}

func (s *sums) add(d TaskDifference) {
	s.d.Tasks++
	s.a, s.b = append(s.a, *d.AMean), append(s.b, *d.BMean)
	if d.PassDifference != nil {
		s.ap, s.bp = append(s.ap, *d.APass), append(s.bp, *d.BPass)
	}
	switch {
	case *d.Difference < 0:
		s.d.Worse++
	case *d.Difference > 0:
		s.d.Better++
	}
}

func (s *sums) finish() Difference {
	s.d.AMean, s.d.BMean, s.d.APass, s.d.BPass = meanOf(s.a), meanOf(s.b), meanOf(s.ap), meanOf(s.bp)
	s.d.Difference, s.d.PassDifference = minus(s.d.BMean, s.d.AMean), minus(s.d.BPass, s.d.APass)
	return s.d
}

// sum computes the agents.
func (c *Comparison) sum() {
	all, agents := &sums{}, map[string]*sums{}
	for _, d := range c.Tasks {
		if d.OtherInput {
			c.OtherInput++
		}
		if d.Difference == nil {
			continue
		}
		if agents[d.Agent] == nil {
			agents[d.Agent] = &sums{d: Difference{Agent: d.Agent}}
		}
		all.add(d)
		agents[d.Agent].add(d)
	}
	c.All = all.finish()
	for _, s := range agents {
		c.Agents = append(c.Agents, s.finish())
	}
	slices.SortFunc(c.Agents, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), strings.Compare(a.Agent, b.Agent))
	})
}
