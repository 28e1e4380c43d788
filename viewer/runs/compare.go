package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/internal/passk"
)

// Comparison is two runs, task by task.
type Comparison struct {
	A, B         Run
	K            int // the largest number of scored attempts that both have for a task; 0: none
	All          Difference
	Environments []Difference
	Tasks        []TaskDifference // worst regression first; those of one run last
	OnlyA, OnlyB int              // tasks that one run has and the other has not
}

// Side is one run's part of a comparison.
type Side struct {
	Reward   Mean
	Pass     float64 // pass@K
	HasPass  bool    // at least K scored attempts (of a task), or a task with them (of an environment)
	Attempts int
	Duration time.Duration // mean over the attempts that ended and were not cut short
}

// TaskDifference is a task of both runs, or of one.
type TaskDifference struct {
	Environment string
	Task        int
	A, B        Side
	InA, InB    bool
	Mean        float64 // mean reward of B minus that of A, when both have one
	HasMean     bool
	Pass        float64 // pass@K of B minus that of A, when both have it
	HasPass     bool
}

// Difference is an environment, or all of them: over the tasks that both runs have scored.
type Difference struct {
	Environment   string
	Tasks         int
	A, B          Side // means over tasks
	Mean, Pass    float64
	HasPass       bool
	Worse, Better int // tasks whose mean reward went down, or up
}

// Compare compares two runs. Tasks are matched by environment and index. It returns false when one of the runs was never seen.
func (m *Model) Compare(a, b string) (Comparison, bool) {
	s := m.now()
	ra, rb := s.byID[a], s.byID[b]
	if ra == nil || rb == nil {
		return Comparison{}, false
	}
	c := Comparison{A: ra.sums().run, B: rb.sums().run}
	pairs := map[taskKey]*[2]*Task{}
	for side, r := range []*runView{ra, rb} {
		for _, t := range r.tasks() {
			k := taskKey{t.Environment, t.Task}
			if pairs[k] == nil {
				pairs[k] = &[2]*Task{}
			}
			pairs[k][side] = t
		}
	}
	for _, p := range pairs {
		if p[0] != nil && p[1] != nil {
			c.K = max(c.K, min(p[0].Reward.N, p[1].Reward.N))
		}
	}
	for k, p := range pairs {
		c.Tasks = append(c.Tasks, difference(k, p, c.K))
	}
	slices.SortFunc(c.Tasks, TaskDifference.compare)
	c.sum()
	return c, true
}

func difference(k taskKey, p *[2]*Task, pass int) TaskDifference {
	d := TaskDifference{Environment: k.env, Task: k.task, InA: p[0] != nil, InB: p[1] != nil}
	if d.InA {
		d.A = p[0].side(pass)
	}
	if d.InB {
		d.B = p[1].side(pass)
	}
	if d.HasMean = d.A.Reward.N > 0 && d.B.Reward.N > 0; d.HasMean {
		d.Mean = d.B.Reward.Value() - d.A.Reward.Value()
	}
	if d.HasPass = d.A.HasPass && d.B.HasPass; d.HasPass {
		d.Pass = d.B.Pass - d.A.Pass
	}
	return d
}

func (t *Task) side(k int) Side {
	s := Side{Reward: t.Reward, Attempts: len(t.Attempts)}
	s.Pass, s.HasPass = passk.Task(rewardsOf(t.Attempts), k)
	n := 0
	for _, x := range t.Attempts {
		if x.Counted() {
			s.Duration += x.Duration()
			n++
		}
	}
	if n > 0 {
		s.Duration /= time.Duration(n)
	}
	return s
}

// compare puts the worst regression first.
func (d TaskDifference) compare(o TaskDifference) int {
	rank := func(d TaskDifference) int {
		switch {
		case d.HasMean:
			return 0
		case d.InA && d.InB:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(d), rank(o)), cmp.Compare(d.Mean, o.Mean), cmp.Compare(d.Pass, o.Pass), cmp.Compare(d.Task, o.Task), strings.Compare(d.Environment, o.Environment))
}

// side sums of an environment.
type sideSum struct{ means, passes []float64 }

func (s *sideSum) side() Side {
	out := Side{HasPass: len(s.passes) > 0, Pass: passk.Average(s.passes)}
	for _, x := range s.means {
		out.Reward.add(x)
	}
	return out
}

// sum computes the environments.
func (c *Comparison) sum() {
	type sums struct {
		d    Difference
		a, b sideSum
	}
	all := &sums{}
	envs := map[string]*sums{}
	for _, d := range c.Tasks {
		switch {
		case !d.InB:
			c.OnlyA++
		case !d.InA:
			c.OnlyB++
		}
		if !d.HasMean {
			continue
		}
		if envs[d.Environment] == nil {
			envs[d.Environment] = &sums{d: Difference{Environment: d.Environment}}
		}
		for _, s := range []*sums{all, envs[d.Environment]} {
			s.d.Tasks++
			s.a.means, s.b.means = append(s.a.means, d.A.Reward.Value()), append(s.b.means, d.B.Reward.Value())
			if d.HasPass {
				s.a.passes, s.b.passes = append(s.a.passes, d.A.Pass), append(s.b.passes, d.B.Pass)
			}
			switch {
			case d.Mean < 0:
				s.d.Worse++
			case d.Mean > 0:
				s.d.Better++
			}
		}
	}
	finish := func(s *sums) Difference {
		s.d.A, s.d.B = s.a.side(), s.b.side()
		s.d.Mean = s.d.B.Reward.Value() - s.d.A.Reward.Value()
		if s.d.HasPass = s.d.A.HasPass && s.d.B.HasPass; s.d.HasPass {
			s.d.Pass = s.d.B.Pass - s.d.A.Pass
		}
		return s.d
	}
	c.All = finish(all)
	for _, s := range envs {
		c.Environments = append(c.Environments, finish(s))
	}
	slices.SortFunc(c.Environments, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), strings.Compare(a.Environment, b.Environment))
	})
}
