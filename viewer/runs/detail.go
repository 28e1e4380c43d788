package runs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/internal/passk"
	"github.com/lensgo/lens/viewer/query"
)

// RunDetail is a run with its charts. The charts are over the rollouts that match the query, Run never changes with it.
type RunDetail struct {
	Run          Run
	Matched      int
	All          Environment   // over all environments
	Environments []Environment // most rollouts first
	Rewards      [2]float64    // the middles of the first and the last bin: 0 and 1, or more where rewards lie outside
	Durations    []DurationBin // of finished rollouts, with the empty bins between
}

// RewardBins is the number of bins of a reward histogram.
const RewardBins = 11

// Environment is what the rollouts of an environment say together.
type Environment struct {
	Name      string
	Counts    Counts
	Tasks     int
	Split     Split       // mean over the rollouts that count: ended, and not cut short
	Durations Percentiles // of the same
	K         int         // the largest number of attempts
	PassK     float64     // pass@K, over the PassTasks tasks with at least K scored attempts
	PassTasks int
	Rewards   [RewardBins]int // from Rewards[0] to Rewards[1]

	split   Split
	durs    []time.Duration
	rewards []float64
	tasks   [][]float64 // rewards of the last tries of each
}

// DurationBin is a bucket of a histogram of durations, 16 an octave, all equally wide on a logarithmic axis.
type DurationBin struct {
	From, To         time.Duration // To is not in it
	Finished, Failed int           // Finished counts the failed ones too
}

// Run returns a run and its charts.
func (m *Model) Run(id string) (RunDetail, bool) { return m.RunWhere(id, query.Query{}) }

// RunWhere returns a run, and the charts of the rollouts that match. Nobody may change what they hold.
func (m *Model) RunWhere(id string, q query.Query) (RunDetail, bool) {
	r := m.now().byID[id]
	switch {
	case r == nil:
		return RunDetail{}, false
	case !q.Empty():
		return r.charts(q), true
	}
	r.chartsOnce.Do(func() { r.all = r.charts(q) })
	return r.all, true
}

// charts computes those of the rollouts that match.
func (r *runView) charts(q query.Query) RunDetail {
	d := RunDetail{Run: r.sums().run, Rewards: [2]float64{0, 1}}
	envs := map[string]*Environment{}
	bins := new(durationBins)
	r.matching(q, func(x *Rollout) {
		d.Matched++
		e := envs[x.Environment]
		if e == nil {
			e = &Environment{Name: x.Environment}
			envs[x.Environment] = e
		}
		e.add(x)
		d.All.add(x)
		if x.HasReward {
			d.Rewards[0], d.Rewards[1] = min(d.Rewards[0], x.Reward), max(d.Rewards[1], x.Reward)
		}
		if x.Counted() {
			bins.add(x)
		}
	})
	d.Durations = bins.list()
	r.addTasks(q, &d.All, envs)
	for _, e := range envs {
		e.finish(d.Rewards)
		d.Environments = append(d.Environments, *e)
	}
	d.All.finish(d.Rewards)
	slices.SortFunc(d.Environments, func(a, b Environment) int {
		return cmp.Or(cmp.Compare(b.Counts.Rollouts, a.Counts.Rollouts), strings.Compare(a.Name, b.Name))
	})
	return d
}

func (e *Environment) add(x *Rollout) {
	e.Counts.add(x)
	e.K = max(e.K, x.Attempt)
	if x.Counted() {
		e.split.add(x.Split)
		e.durs = append(e.durs, x.Duration())
	}
	if x.HasReward {
		e.rewards = append(e.rewards, x.Reward)
	}
}

// addTasks gives the environments the rewards of their tasks, by attempts that match.
func (r *runView) addTasks(q query.Query, all *Environment, envs map[string]*Environment) {
	rec := r.record(q)
	for _, t := range r.tasks() {
		var rewards []float64
		matched := false
		for _, x := range t.Attempts {
			if rec.look(x); q.Empty() || q.Match(rec) {
				matched = true
				if x.HasReward {
					rewards = append(rewards, x.Reward)
				}
			}
		}
		if e := envs[t.Environment]; matched && e != nil {
			e.tasks, all.tasks = append(e.tasks, rewards), append(all.tasks, rewards)
		}
	}
}

// finish computes what needs all of them, and lets go of them.
func (e *Environment) finish(rewards [2]float64) {
	e.Split = e.split.mean(len(e.durs))
	e.Durations = percentiles(e.durs)
	for _, x := range e.rewards {
		e.Rewards[rewardBin(x, rewards)]++
	}
	e.Tasks = len(e.tasks)
	e.PassK, e.PassTasks = meanPass(e.tasks, e.K)
	e.split, e.durs, e.rewards, e.tasks = Split{}, nil, nil, nil
}

// meanPass is passk.Mean without a dependence on the order of the tasks, which rounding would show.
func meanPass(tasks [][]float64, k int) (float64, int) {
	each := make([]float64, 0, len(tasks))
	for _, rewards := range tasks {
		if p, ok := passk.Task(rewards, k); ok {
			each = append(each, p)
		}
	}
	return passk.Average(each), len(each)
}

// rewardsOf lists the rewards in the order of the attempts.
func rewardsOf(attempts []*Rollout) (out []float64) {
	for _, x := range attempts {
		if x.HasReward {
			out = append(out, x.Reward)
		}
	}
	return out
}

func rewardBin(x float64, rewards [2]float64) int {
	at := (x - rewards[0]) / (rewards[1] - rewards[0]) * (RewardBins - 1)
	return min(max(int(math.Round(at)), 0), RewardBins-1)
}

const binsPerOctave = 16

// durationBins are the buckets of a histogram. Bucket i holds the durations from binStart[i] nanoseconds on, below binStart[i+1].
type durationBins [64 * binsPerOctave]struct{ finished, failed int }

// binStart begins at 1 ns; 0 is in the first bucket too.
var binStart = func() (at [64*binsPerOctave + 1]int64) {
	for i := range at {
		at[i] = math.MaxInt64
		if exact := math.Exp2(float64(i) / binsPerOctave); exact < math.MaxInt64 {
			at[i] = int64(math.Ceil(exact))
		}
	}
	return at
}()

func (b *durationBins) add(x *Rollout) {
	ns := max(int64(x.Duration()), 1)
	i := min(int(math.Log2(float64(ns))*binsPerOctave), len(b)-1)
	for i > 0 && ns < binStart[i] { // the logarithm may be off by a rounding
		i--
	}
	for i < len(b)-1 && ns >= binStart[i+1] {
		i++
	}
	b[i].finished++
	if x.Outcome == Failed {
		b[i].failed++
	}
}

// list lists the buckets from the first to the last that has something.
func (b *durationBins) list() (out []DurationBin) {
	first, last := 0, len(b)-1
	for first <= last && b[first].finished == 0 {
		first++
	}
	for last >= first && b[last].finished == 0 {
		last--
	}
	for at := first; at <= last; at++ {
		out = append(out, DurationBin{time.Duration(binStart[at]), time.Duration(binStart[at+1]), b[at].finished, b[at].failed})
	}
	return out
}
