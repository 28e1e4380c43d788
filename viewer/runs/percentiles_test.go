package runs

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestPercentiles holds those of few and of many values against a sorted list.
func TestPercentiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for _, n := range []int{0, 1, 2, 99, 100, 101, 1000, 4*maxBucket - 1, 4 * maxBucket, 50_000} {
		for _, most := range []int64{1, 20, 1e6, 1e12} {
			values := make([]time.Duration, n)
			for i := range values {
				values[i] = time.Duration(rng.Int64N(most))
			}
			sorted := slices.Sorted(slices.Values(values))
			got := percentiles(values)
			want := Percentiles{}
			if n > 0 {
				at := func(percent int) time.Duration { return sorted[max((percent*n+99)/100, 1)-1] }
				want = Percentiles{n, at(50), at(95), at(99), sorted[n-1]}
			}
			if got != want {
				t.Errorf("%d values below %d: %+v, want %+v", n, most, got, want)
			}
		}
	}
}
