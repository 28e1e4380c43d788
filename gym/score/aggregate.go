package score

import "github.com/lensgo/lens/gym/responses"

// Aggregate returns the statistics of result rows: verify responses with their _ng_task_index and _ng_rollout_index, of
// one agent. Of a row it reads the members that are numbers or booleans, and the same of response.usage, which win where
// the names clash. Rows without indexes belong to task 0, rollout 0. It keeps no reference to rows.
func Aggregate(rows []responses.Object) Report { return Hooks{}.Aggregate(rows) }

// summarize makes the statistics that every run has, of rows in order.
func summarize(sorted []row) Report {
	all := columns{}
	n := len(sorted)
	report := Report{Groups: []Group{}, Agent: Metrics{}, Key: Metrics{}}
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].task == sorted[0].task {
			n++
		}
		report.Groups = append(report.Groups, group(sorted[:n]))
		for _, r := range sorted[:n] {
			all.add(r)
		}
		sorted = sorted[n:]
	}
	if n > 0 {
		report.Agent = all.describe(n)
	}
	return report
}

// group describes the rows of one task.
func group(rows []row) Group {
	own := columns{}
	infos := make([]responses.Object, len(rows))
	for i, r := range rows {
		own.add(r)
		infos[i] = r.info.Clone()
	}
	sample, _ := responses.ParseObject([]byte(`{"agent_ref":{"name":"agent"}}`))
	return Group{
		Task:     rows[0].task,
		Metrics:  own.describe(len(rows)),
		Sample:   sample,
		Rollouts: len(rows),
		Expected: len(rows),
		Infos:    infos,
	}
}
