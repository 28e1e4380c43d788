package passk

import (
	"math"
	"slices"
)

// Estimate returns 1 - C(n-c, k)/C(n, k), the chance that k attempts drawn from n, of which c succeeded, hold a success. It
// returns false when there is no such number: k below 1 or above n, or c not in 0 to n.
func Estimate(n, c, k int) (float64, bool) {
	if k < 1 || k > n || c < 0 || c > n {
		return 0, false
	}
	if n-c < k {
		return 1, true // any k attempts hold a success
	}
	// C(n-c, k)/C(n, k) is symmetric in c and k: the shorter product is the more exact one.
	few, many := min(c, k), max(c, k)
	miss := 1.0
	for i := range few {
		miss *= float64(n-many-i) / float64(n-i)
	}
	return 1 - miss, true
}

// Task returns pass@k of one task from the rewards of its attempts, in the order of the attempts. It returns false when there
// are fewer than k, or k is below 1.
func Task(rewards []float64, k int) (float64, bool) {
	if k < 1 || len(rewards) < k {
		return 0, false
	}
	c, binary := successes(rewards)
	if binary {
		return Estimate(len(rewards), c, k)
	}
	best := math.Inf(-1)
	for _, r := range rewards[:k] {
		best = max(best, r) // NaN stays NaN
	}
	return best, true
}

// successes counts the rewards of 1 and tells whether all the others are 0.
func successes(rewards []float64) (c int, binary bool) {
	for _, r := range rewards {
		switch r {
		case 1:
			c++
		case 0:
		default:
			return 0, false
		}
	}
	return c, true
}

// Mean returns the mean of pass@k over the tasks that have at least k attempts, and their number. The mean of no task is 0.
func Mean(tasks [][]float64, k int) (mean float64, n int) {
	sum := 0.0
	for _, rewards := range tasks {
		if p, ok := Task(rewards, k); ok {
			sum += p
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return sum / float64(n), n
}

// Average is the mean of values, 0 of none. It sorts them and adds from the smallest on, so that the order in which they came never
// shows in the last digits.
func Average(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}
