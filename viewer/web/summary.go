package web

import (
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// summary tells what the model of the runs knows, in the words of the API.
type summary struct {
	m   *runs.Model
	now func() time.Time

	mu     sync.Mutex
	all    totals // as they were at
	totals time.Time
}

// parse reads a filter and, behind it, a condition of ours.
func (s *summary) parse(filter string, list query.List, ours ...string) (query.Query, error) {
	q, err := query.Parse(filter, query.Options{List: list, Now: s.now()})
	if err != nil || len(ours) == 0 {
		return q, err
	}
	return query.Parse(filter+" "+strings.Join(ours, " "), query.Options{List: list, Now: s.now()})
}

// equals is a condition on a text field.
func equals(field query.Field, values ...string) string {
	for i, v := range values {
		values[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
	}
	return field.String() + "=" + strings.Join(values, ",")
}

func (a ask) page() runs.Page { return runs.Page{Sort: a.sort, Size: a.limit, After: a.cursor} }

// overSome is nil when there was nothing to take a duration of.
func overSome(n int64, d time.Duration) *int64 {
	if n == 0 {
		return nil
	}
	return new(int64(d))
}

func meanOf(m runs.Mean) *float64 {
	if m.N == 0 {
		return nil
	}
	return finite(m.Value())
}

// share is a part of a whole, nil of nothing.
func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}
