package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Spread is a median and how far values lie around it. N is their number; the others are NaN when it is 0.
type Spread struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	P25    float64 `json:"p25"`
	P75    float64 `json:"p75"`
}

// MarshalJSON writes an empty Spread as null.
func (s Spread) MarshalJSON() ([]byte, error) {
	if s.N == 0 {
		return []byte("null"), nil
	}
	type plain Spread
	return json.Marshal(plain(s))
}

// SpreadOf sorts a copy of the values.
func SpreadOf(values []float64) Spread {
	v := slices.Sorted(slices.Values(values))
	return Spread{len(v), Quantile(v, .5), Quantile(v, .25), Quantile(v, .75)}
}

// String is "median (p25..p75)".
func (s Spread) String() string {
	if s.N == 0 {
		return "missing"
	}
	return fmt.Sprintf("%s (%s..%s)", Round(s.Median), Round(s.P25), Round(s.P75))
}

// Quantile is a quantile of sorted values, between two of them where it falls there; NaN without values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Slope is that of the straight line with the least squares through the points; NaN for fewer than two.
func Slope(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	var up, down float64
	for i := range x {
		up += (x[i] - mx) * (y[i] - my)
		down += (x[i] - mx) * (x[i] - mx)
	}
	if down == 0 {
		return math.NaN()
	}
	return up / down
}

// Round writes a number with three digits that count, and with all of those before the point.
func Round(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "missing"
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= .1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}
