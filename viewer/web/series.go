package web

import "github.com/lensgo/lens/viewer/runs"

// Series is a number of things an interval, oldest first.
type Series struct {
	Step   int64   `json:"step_ns"`
	Counts []int64 `json:"counts"`
}

func seriesOf(s runs.Series) Series {
	out := Series{Step: int64(s.Step)}
	for _, n := range s.Count {
		out.Counts = append(out.Counts, int64(n))
	}
	return out
}
