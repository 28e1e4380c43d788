package runs

import (
	"time"

	"github.com/lensgo/lens/viewer/query"
)

// Verdict says how the attempts of a task compare.
type Verdict string

// The verdicts, in the order in which a list shows them; the last four are alike in rank.
const (
	SomeFailed Verdict = "failed"   // the last try of an attempt failed
	Disagree   Verdict = "disagree" // rewards differ
	Open       Verdict = "open"     // not all attempts have ended
	AllPass    Verdict = "pass"     // all have the best reward of the run, or 1 where that is not above 1
	AllZero    Verdict = "zero"     // all score 0
	AllEqual   Verdict = "equal"    // neither of these
)

// Task is a task with its attempts.
type Task struct {
	Environment string
	Task        int
	Verdict     Verdict
	Attempts    []*Rollout // the last try of each, by attempt
	Reward      Mean       // over those with a reward

	// Difference is how much longer the second attempt took than the first; HasDifference is false unless both have ended.
	Difference    time.Duration
	HasDifference bool
}

// TaskList is a page of tasks.
type TaskList struct {
	List[*Task]
	AllScored int // of the tasks that match: those of which all attempts are scored
	Columns   int // the largest number of attempts on the page
}

// taskKey names a task of a run.
type taskKey struct {
	env  string
	task int
}

func taskOrder(name string, key func(t *Task) (bool, float64)) order[*Task] {
	return order[*Task]{name, func(t *Task) sortKey {
		has, x := key(t)
		return sortKey{last: !has, num: [2]float64{x}, tie: t.tie()}
	}, false}
}

// tie orders by task, then by environment.
func (t *Task) tie() (out tie) {
	for i := range 8 {
		out.a[i] = byte(uint64(t.Task) >> (56 - 8*i))
	}
	out.c = t.Environment
	return out
}

var taskOrders = []order[*Task]{
	taskOrder("state", func(t *Task) (bool, float64) { return true, t.Verdict.rank() }),
	{"env", func(t *Task) sortKey { return sortKey{text: t.Environment, tie: t.tie()} }, false},
	taskOrder("task", func(t *Task) (bool, float64) { return true, float64(t.Task) }),
	taskOrder("mean", func(t *Task) (bool, float64) { return t.Reward.N > 0, t.Reward.Value() }),
	taskOrder("difference", func(t *Task) (bool, float64) { return t.HasDifference, float64(t.Difference) }),
}

func (v Verdict) rank() float64 {
	switch v {
	case SomeFailed:
		return 0
	case Disagree:
		return 1
	}
	return 2
}

// Tasks lists the tasks of a run of which an attempt matches: state (the default: some failed, attempts disagree, the rest; then by
// task), env, task, mean, difference.
func (m *Model) Tasks(run string, q query.Query, p Page) (TaskList, error) {
	r := m.now().byID[run]
	if r == nil {
		return TaskList{}, ErrNoRun
	}
	k, err := newPicker(taskOrders, p)
	if err != nil {
		return TaskList{}, err
	}
	all := r.tasks()
	wanted := map[taskKey]bool{}
	if !q.Empty() {
		r.matching(q, func(x *Rollout) { wanted[taskKey{x.Environment, x.Task}] = true })
	}
	var out TaskList
	for _, t := range all {
		if q.Empty() || wanted[taskKey{t.Environment, t.Task}] {
			k.offer(t)
			if t.scored() {
				out.AllScored++
			}
		}
	}
	out.Rows, out.Next = k.page()
	out.Matched, out.Total = k.matched, len(all)
	for _, t := range out.Rows {
		out.Columns = max(out.Columns, len(t.Attempts))
	}
	return out, nil
}

// tasks groups the rollouts of a run, once for a view.
func (r *runView) tasks() []*Task {
	s := r.sums()
	r.taskOnce.Do(func() {
		groups := make(map[taskKey]*Task, s.run.Tasks)
		r.each(func(x *Rollout) {
			if x.Task < 0 {
				return
			}
			k := taskKey{x.Environment, x.Task}
			t := groups[k]
			if t == nil {
				t = &Task{Environment: k.env, Task: k.task}
				groups[k] = t
				r.taskList = append(r.taskList, t)
			}
			t.Attempts = append(t.Attempts, x)
		})
		best := 1.0
		if s.best > 1 {
			best = s.best
		}
		for _, t := range r.taskList {
			t.Attempts = lastTries(t.Attempts)
			t.judge(best)
		}
	})
	return r.taskList
}

func (t *Task) scored() bool { return t.Reward.N == len(t.Attempts) }

// judge compares the attempts.
func (t *Task) judge(best float64) {
	var failed, open bool
	lo, hi := 0.0, 0.0
	for _, x := range t.Attempts {
		failed = failed || x.Outcome == Failed
		open = open || !x.Ended()
		if x.HasReward {
			if t.Reward.N == 0 {
				lo, hi = x.Reward, x.Reward
			}
			lo, hi = min(lo, x.Reward), max(hi, x.Reward)
			t.Reward.add(x.Reward)
		}
	}
	switch {
	case failed:
		t.Verdict = SomeFailed
	case lo != hi:
		t.Verdict = Disagree
	case open:
		t.Verdict = Open
	case t.Reward.N > 0 && lo >= best:
		t.Verdict = AllPass
	case t.Reward.N > 0 && hi == 0:
		t.Verdict = AllZero
	default:
		t.Verdict = AllEqual
	}
	if len(t.Attempts) > 1 && t.Attempts[0].Ended() && t.Attempts[1].Ended() {
		t.Difference, t.HasDifference = t.Attempts[1].Duration()-t.Attempts[0].Duration(), true
	}
}
