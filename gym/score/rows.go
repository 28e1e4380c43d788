package score

import "github.com/lensgo/lens/gym/responses"

// Rows takes results one at a time and keeps their numbers only, for files that are larger than memory. The zero value is ready; it
// is for one goroutine.
type Rows struct {
	rows  []row
	names map[string]string // each name of a number once
}

// Add takes a result. Nothing of its text is kept.
func (r *Rows) Add(o responses.Object) {
	if r.names == nil {
		r.names = map[string]string{}
	}
	one := readRow(o)
	one.source, one.info = responses.Object{}, one.info.Clone()
	for i, n := range one.numbers {
		name, known := r.names[n.name]
		if !known {
			name = string([]byte(n.name)) // not a part of the row's text
			r.names[name] = name
		}
		one.numbers[i].name = name
	}
	r.rows = append(r.rows, one)
}

// Len is the number of results.
func (r *Rows) Len() int { return len(r.rows) }

// Report is what [Aggregate] returns of the same results. Those that share task and rollout are taken in the order in which they came.
func (r *Rows) Report() Report {
	sortRows(r.rows)
	report := summarize(r.rows)
	report.Key = report.Agent.WithPrefix("mean/")
	return report
}
