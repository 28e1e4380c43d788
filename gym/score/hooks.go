package score

import (
	"maps"
	"slices"

	"github.com/lensgo/lens/gym/responses"
)

// Task is the results of one task.
type Task struct {
	Index int64
	Rows  []responses.Object // in the order of the rollouts; without their conversations
}

// Hooks is what an environment adds to the statistics that every run has. The zero value adds nothing. Functions are called
// concurrently and must not keep or change the rows.
type Hooks struct {
	// Metrics computes further numbers from all results. It is not called when there are none. [PassMajority.Metrics] is one.
	Metrics func(tasks []Task) Custom
	// Key chooses what a summary shows, from the agent's metrics as they are reported. Nil: every mean.
	Key func(agent Metrics) Metrics
}

// Custom is what [Hooks.Metrics] found. Names that the report has already are replaced.
type Custom struct {
	Agent Metrics                    // numbers for the agent's metrics
	More  responses.Object           // members of them that are no single number, as they are to be written
	Tasks map[int64]responses.Object // members for the groups, by task index; those of unknown tasks are passed over
}

// Aggregate is [Aggregate] with what the environment adds.
func (h Hooks) Aggregate(rows []responses.Object) Report {
	sorted := sortedRows(rows)
	report := summarize(sorted)
	if len(rows) == 0 {
		return report
	}
	if h.Metrics != nil {
		report = report.with(h.Metrics(tasksOf(sorted)))
	}
	if h.Key != nil {
		report.Key = h.Key(slices.Clone(report.Agent))
	} else {
		report.Key = report.Agent.WithPrefix("mean/")
	}
	return report
}

// with lays what an environment computed over the report.
func (r Report) with(c Custom) Report {
	r.Agent = r.Agent.With(c.Agent)
	r.More.Merge(c.More)
	for i := range r.Groups {
		more := c.Tasks[r.Groups[i].Task]
		more.Delete(taskIndex)
		r.Groups[i].More.Merge(more)
	}
	return r
}

// tasksOf groups rows that are sorted by task.
func tasksOf(sorted []row) []Task {
	var tasks []Task
	for _, r := range sorted {
		if n := len(tasks); n == 0 || tasks[n-1].Index != r.task {
			tasks = append(tasks, Task{Index: r.task})
		}
		last := &tasks[len(tasks)-1]
		last.Rows = append(last.Rows, r.source)
	}
	return tasks
}

// PerTask makes the Tasks of a [Custom] from numbers by task index.
func PerTask(numbers map[int64]Metrics) map[int64]responses.Object {
	out := make(map[int64]responses.Object, len(numbers))
	for _, task := range slices.Sorted(maps.Keys(numbers)) {
		out[task] = numbers[task].object()
	}
	return out
}
