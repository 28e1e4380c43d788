package score

import (
	"maps"
	"math"
	"slices"
)

// columns holds, for each name, the values that rows had. It is sparse: a name that one row in a thousand has costs one
// value.
type columns map[string][]float64

func (c columns) add(from row) {
	for _, f := range from.numbers {
		c[f.name] = append(c[f.name], f.value)
	}
}

// describe returns the statistics of the columns of n rows, by statistic and then by name.
func (c columns) describe(n int) Metrics {
	names := slices.Sorted(maps.Keys(c))
	out := make(Metrics, 0, 5*len(names))
	for _, s := range statistics {
		for _, name := range names {
			v := s.of(c[name], n)
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				out = append(out, Metric{s.name + "/" + name, v})
			}
		}
	}
	return append(out, c.missing(names, n)...)
}

// missing counts the rows without a value. The reward is expected of every row, also when none has it.
func (c columns) missing(names []string, n int) Metrics {
	if len(c[reward]) == 0 && !slices.Contains(names, reward) && n > 0 {
		names = append(names, reward)
		slices.Sort(names)
	}
	var out Metrics
	for _, name := range names {
		if gap := n - len(c[name]); gap > 0 {
			out = append(out, Metric{"missing/" + name, float64(gap)})
		}
	}
	return out
}

// statistics in the order in which they are written. Each takes the values that are there, of which there is at least
// one, and the number of rows; NaN means that it is not defined.
var statistics = []struct {
	name string
	of   func(values []float64, rows int) float64
}{
	{"mean", func(v []float64, _ int) float64 { return mean(v) }},
	{"max", func(v []float64, _ int) float64 { return slices.Max(v) }},
	{"min", func(v []float64, _ int) float64 { return slices.Min(v) }},
	{"median", func(v []float64, _ int) float64 { return median(v) }},
	{"std", std},
}

// mean adds with compensation, so that many small values are not lost beside a large one, and scales by the largest
// only when the sum is too large for a float64.
func mean(v []float64) float64 {
	n := float64(len(v))
	if m := sum(v, 1) / n; !math.IsInf(m, 0) && !math.IsNaN(m) {
		return m
	}
	return sum(v, n)
}

// sum adds the values divided by scale, after Neumaier.
func sum(v []float64, scale float64) float64 {
	var s, lost float64
	for _, x := range v {
		x /= scale
		t := s + x
		if math.Abs(s) >= math.Abs(x) {
			lost += (s - t) + x
		} else {
			lost += (x - t) + s
		}
		s = t
	}
	return s + lost
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	mid := len(v) / 2
	if len(v)%2 == 1 {
		return v[mid]
	}
	return v[mid-1]/2 + v[mid]/2
}

// std is the sample standard deviation. One row has none: pandas would say NaN for every column, which Gym replaces by 0
// for the columns that have a value. With more rows, a column with one value has no deviation and no key.
func std(v []float64, rows int) float64 {
	if len(v) < 2 {
		if rows == 1 {
			return 0
		}
		return math.NaN()
	}
	m := mean(v)
	squares := make([]float64, len(v))
	for i, x := range v {
		squares[i] = (x - m) * (x - m)
	}
	return math.Sqrt(sum(squares, 1) / float64(len(v)-1))
}
