package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/passk"
)

// Names of scores and statistics.
const (
	accuracy     = "accuracy"
	noAnswer     = "no_answer"
	perSample    = "per_sample_aggregate"
	stdDevRuns   = "std_dev_across_runs"
	stdErrRuns   = "std_err_across_runs"
	stdDevSample = "avg_sample_std_dev"
)

// PassMajority computes what a benchmark with several rollouts a task reports, for each score s and each k from 1 to the most
// rollouts of any task, all in percent:
//
//	pass@k/s           the chance that one of k rollouts succeeds ([internal/passk]); for scores other than 0 and 1 the best of the first k
//	pass@1[avg-of-k]/s the mean of the first k rollouts
//	majority@k/s       the score of the most frequent answer among the first k that have one; of answers that are as frequent, the mean
//
// with std_dev_across_runs and std_err_across_runs of pass@1[avg-of-k]/s from k = 2 on, where a run is the i-th rollouts of all
// tasks, and per_sample_aggregate, the mean of each run. A task without k scores is left out of pass@k; one without an answer counts
// as 0 in majority@k.
//
// The zero value scores the reward as "accuracy" and knows no answers.
type PassMajority struct {
	// Scores gives the named scores of a result; 1 and 0 for success and failure. Nil: the reward, as accuracy. A result
	// without a reward has no score then.
	Scores func(row responses.Object) Metrics
	// Answer is the member with the answer that the environment took from the result. With it there are majority@k, and the
	// score no_answer, which is 1 when the member is null or absent.
	Answer string
	// SampleStdDev adds avg_sample_std_dev of pass@1[avg-of-k]/s: the mean over tasks of the deviation within each.
	SampleStdDev bool
	// Subsets are members of results, for instance "difficulty": the same numbers once more for each of their values, named
	// <value>/pass@k/s and so on, without avg_sample_std_dev. A task whose results have no value belongs to none.
	Subsets []string
}

// Metrics computes the numbers; it serves as [Hooks.Metrics].
func (p PassMajority) Metrics(tasks []Task) Custom {
	var c Custom
	if len(tasks) == 0 {
		return c
	}
	t := p.table(tasks)
	c.Agent = t.metrics()
	c.More.Set(perSample, t.runs().object())
	p.SampleStdDev = false
	for _, member := range p.Subsets {
		for _, s := range subsets(tasks, member) {
			for _, m := range p.table(s.tasks).metrics() {
				c.Agent = append(c.Agent, Metric{s.name + "/" + m.Name, m.Value})
			}
		}
	}
	return c
}

// subset is the tasks with one value of a member.
type subset struct {
	name  string
	tasks []Task
}

// subsets groups tasks by a member of their results: the first value of each task that is not empty.
func subsets(tasks []Task, member string) (out []subset) {
	for _, t := range tasks {
		name := ""
		for _, row := range t.Rows {
			if name = subsetName(row, member); name != "" {
				break
			}
		}
		if name == "" {
			continue
		}
		i := slices.IndexFunc(out, func(s subset) bool { return s.name == name })
		if i < 0 {
			i, out = len(out), append(out, subset{name: name})
		}
		out[i].tasks = append(out[i].tasks, t)
	}
	slices.SortFunc(out, func(a, b subset) int { return cmp.Compare(a.name, b.name) })
	return out
}

// subsetName is a value as a part of metric names; "" for what stands for nothing: null, false, 0, empty.
func subsetName(row responses.Object, member string) string {
	v, _ := row.Get(member)
	switch v.Kind() {
	case '"':
		s, _ := row.String(member)
		return s
	case 't':
		return "True" // as Python writes it
	case '0':
		if f, _ := row.Float(member); f != 0 {
			return string(v)
		}
	}
	return ""
}

// table is the scores of tasks.
type table struct {
	names   []string // of scores, sorted
	tasks   [][]scored
	k       int // the most rollouts of any task
	answers bool
	spread  bool
}

// scored is one result: its scores by the names' index, NaN where it has none, and its answer.
type scored struct {
	values []float64
	answer string // canonical; "" is none
}

func (p PassMajority) table(tasks []Task) *table {
	scores := p.Scores
	if scores == nil {
		scores = rewardAsAccuracy
	}
	t := &table{answers: p.Answer != "", spread: p.SampleStdDev}
	all := make([][]Metrics, len(tasks))
	for i, task := range tasks {
		t.k = max(t.k, len(task.Rows))
		for _, row := range task.Rows {
			of := scores(row)
			if t.answers {
				of = of.With(Metrics{{noAnswer, oneIf(answerOf(row, p.Answer) == "")}})
			}
			all[i] = append(all[i], of)
			for _, m := range of {
				if !slices.Contains(t.names, m.Name) {
					t.names = append(t.names, m.Name)
				}
			}
		}
	}
	slices.Sort(t.names)
	for i, task := range tasks {
		rows := make([]scored, len(task.Rows))
		for j, row := range task.Rows {
			rows[j] = scored{values: t.values(all[i][j])}
			if t.answers {
				rows[j].answer = answerOf(row, p.Answer)
			}
		}
		t.tasks = append(t.tasks, rows)
	}
	return t
}

func (t *table) values(of Metrics) []float64 {
	out := make([]float64, len(t.names))
	for i, name := range t.names {
		v, ok := of.Get(name)
		if !ok || math.IsInf(v, 0) {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}

func rewardAsAccuracy(row responses.Object) Metrics {
	v, _ := row.Get(reward)
	if n, ok := responses.NumberOf(v); ok {
		return Metrics{{accuracy, n}}
	}
	return nil
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// answerOf is the answer of a result in a form in which equal answers are equal texts; "" when there is none.
func answerOf(row responses.Object, member string) string {
	v, ok := row.Get(member)
	if !ok || v.Kind() == 'n' {
		return ""
	}
	v = slices.Clone(v)
	if err := v.Canonicalize(); err != nil {
		return string(v)
	}
	switch string(v) { // Python's True is 1
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return string(v)
}

// column is the scores of that name which the rows have.
func column(rows []scored, name int) []float64 {
	out := make([]float64, 0, len(rows))
	for _, r := range rows {
		if v := r.values[name]; !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

func (t *table) metrics() Metrics {
	var out Metrics
	percent := func(values []float64, format string, args ...any) {
		if len(values) > 0 {
			out = append(out, Metric{fmt.Sprintf(format, args...), 100 * mean(values)})
		}
	}
	for k := 1; k <= t.k; k++ {
		for i, name := range t.names {
			percent(t.pass(i, k), "pass@%d/%s", k, name)
			percent(t.average(i, k), "pass@1[avg-of-%d]/%s", k, name)
			if t.answers {
				percent(t.majority(i, k), "majority@%d/%s", k, name)
			}
		}
	}
	return append(out, t.spreads()...)
}

// pass is pass@k of each task that has k scores.
func (t *table) pass(name, k int) (out []float64) {
	for _, rows := range t.tasks {
		if p, ok := passk.Task(column(rows, name), k); ok {
			out = append(out, p)
		}
	}
	return out
}

// average is the mean of each task's first k results.
func (t *table) average(name, k int) (out []float64) {
	for _, rows := range t.tasks {
		if v := column(rows[:min(k, len(rows))], name); len(v) > 0 {
			out = append(out, mean(v))
		}
	}
	return out
}

// majority is what the most frequent answer of each task's first k results scores.
func (t *table) majority(name, k int) (out []float64) {
	for _, rows := range t.tasks {
		out = append(out, vote(rows[:min(k, len(rows))], name))
	}
	return out
}

// ballot is an answer with a score. The same answer with another score is another one.
type ballot struct {
	answer string
	score  float64
}

func vote(rows []scored, name int) float64 {
	votes := map[ballot]int{}
	most := 0
	for _, r := range rows {
		if r.answer == "" || math.IsNaN(r.values[name]) {
			continue
		}
		b := ballot{r.answer, r.values[name]}
		votes[b]++
		most = max(most, votes[b])
	}
	var tied []float64
	for b, n := range votes {
		if n == most {
			tied = append(tied, b.score)
		}
	}
	if len(tied) == 0 {
		return 0
	}
	slices.Sort(tied) // the order of a map must not show
	return mean(tied)
}

// series is a list of numbers for each score.
type series []struct {
	name   string
	values []float64
}

func (s series) object() jsontext.Value {
	var o responses.Object
	for _, x := range s {
		_ = o.SetAny(x.name, x.values) // finite
	}
	return o.AppendTo(nil)
}

// runs is the mean over tasks of the i-th results, for each i that has any, in percent.
func (t *table) runs() (out series) {
	for i, name := range t.names {
		var values []float64
		for run := range t.k {
			var each []float64
			for _, rows := range t.tasks {
				if run < len(rows) && !math.IsNaN(rows[run].values[i]) {
					each = append(each, rows[run].values[i])
				}
			}
			if len(each) > 0 {
				values = append(values, 100*mean(each))
			}
		}
		if len(values) > 0 {
			out = append(out, struct {
				name   string
				values []float64
			}{name, values})
		}
	}
	return out
}

// spreads are the statistics of pass@1[avg-of-k].
func (t *table) spreads() (out Metrics) {
	runs := t.runs()
	for k := 2; k <= t.k; k++ {
		for _, s := range runs {
			first := s.values[:min(k, len(s.values))]
			if len(first) < 2 {
				continue
			}
			key := fmt.Sprintf("pass@1[avg-of-%d]/%s/", k, s.name)
			d := std(first, len(first))
			out = append(out, Metric{key + stdDevRuns, d}, Metric{key + stdErrRuns, d / math.Sqrt(float64(len(first)))})
		}
	}
	if !t.spread {
		return out
	}
	for k := 2; k <= t.k; k++ {
		for i, name := range t.names {
			var each []float64
			for _, rows := range t.tasks {
				if v := column(rows[:min(k, len(rows))], i); len(v) > 1 {
					each = append(each, std(v, len(v)))
				}
			}
			if len(each) > 0 {
				out = append(out, Metric{fmt.Sprintf("pass@1[avg-of-%d]/%s/%s", k, name, stdDevSample), mean(each)})
			}
		}
	}
	return out
}

// HighestK returns those of m that match a pattern such as "pass@{k}" or "pass@1[avg-of-{k}]" with the largest k there is:
// "pass@{k}" gives pass@32/accuracy. Statistics of them are left out; so are scores that keep, when it is not nil, refuses.
func (m Metrics) HighestK(pattern string, keep func(score string) bool) Metrics {
	before, after, ok := strings.Cut(pattern, "{k}")
	if !ok {
		return nil
	}
	var out Metrics
	most := 0
	for _, x := range m {
		k, score, ok := splitK(x.Name, before, after)
		switch {
		case !ok, isSpread(score), keep != nil && !keep(score), k < most:
			continue
		case k > most || out == nil:
			most, out = k, nil
		}
		out = append(out, x)
	}
	return out
}

// splitK takes apart a name of the form <before><k><after>/<score>.
func splitK(name, before, after string) (k int, score string, ok bool) {
	rest, ok := strings.CutPrefix(name, before)
	if !ok {
		return 0, "", false
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 || digits > 9 {
		return 0, "", false
	}
	for _, d := range rest[:digits] {
		k = 10*k + int(d-'0')
	}
	score, ok = strings.CutPrefix(rest[digits:], after+"/")
	return k, score, ok && score != ""
}

func isSpread(score string) bool {
	return strings.HasSuffix(score, stdDevRuns) || strings.HasSuffix(score, stdErrRuns) || strings.HasSuffix(score, stdDevSample)
}
