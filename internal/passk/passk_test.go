package passk_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/lensgo/lens/internal/passk"
)

// TestEstimate is case AG-03.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		n, c, k int
		percent float64
	}{
		{5, 2, 3, 90},
		{4, 1, 2, 50},
		{200, 1, 100, 50},
		{10, 3, 5, 100 * 11 / 12.0},
		{1, 1, 1, 100},
		{1, 0, 1, 0},
		{7, 0, 7, 0},
		{7, 7, 1, 100},
		{5, 3, 3, 100}, // two failures cannot fill three draws
	} {
		got, ok := passk.Estimate(c.n, c.c, c.k)
		if !ok || math.Abs(100*got-c.percent) > 1e-9 {
			t.Errorf("n=%d c=%d k=%d: %v %%, %v; want %v %%", c.n, c.c, c.k, 100*got, ok, c.percent)
		}
	}
}

// TestEstimateExactly compares with exact binomials.
func TestEstimateExactly(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 17, 64, 200, 1000} {
		step := 1 + n/16
		for c := 0; c <= n; c += step {
			for k := 1; k <= n; k += step {
				miss := new(big.Rat).SetFrac(binomial(n-c, k), binomial(n, k))
				want, _ := new(big.Rat).Sub(big.NewRat(1, 1), miss).Float64()
				if got, ok := passk.Estimate(n, c, k); !ok || math.Abs(got-want) > 1e-11 {
					t.Fatalf("n=%d c=%d k=%d: %v, %v; want %v", n, c, k, got, ok, want)
				}
			}
		}
	}
}

func binomial(n, k int) *big.Int {
	if n < k {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}

func TestEstimateOfNothing(t *testing.T) {
	for _, c := range [][3]int{{0, 0, 1}, {2, 0, 5}, {2, 0, 0}, {2, 1, -1}, {2, 3, 1}, {2, -1, 1}, {-1, 0, 1}} {
		if got, ok := passk.Estimate(c[0], c[1], c[2]); ok || got != 0 {
			t.Errorf("n=%d c=%d k=%d: %v, %v; want none", c[0], c[1], c[2], got, ok)
		}
	}
}

// TestTooFewAttempts is case AG-01: two failures say nothing about pass@5.
func TestTooFewAttempts(t *testing.T) {
	if got, ok := passk.Task([]float64{0, 0}, 5); ok {
		t.Errorf("pass@5 of two attempts is %v, want none", got)
	}
	if mean, n := passk.Mean([][]float64{{0, 0}}, 5); mean != 0 || n != 0 {
		t.Errorf("mean pass@5 is %v over %d tasks, want none", mean, n)
	}
	if mean, n := passk.Mean([][]float64{{0, 0}, {0, 0, 0, 1, 0}}, 5); mean != 1 || n != 1 {
		t.Errorf("mean pass@5 is %v over %d tasks, want 1 over 1", mean, n)
	}
	if _, ok := passk.Task([]float64{1}, 0); ok {
		t.Error("pass@0 exists")
	}
}

// TestOtherRewards is case AG-05: rewards that are not 0 or 1.
func TestOtherRewards(t *testing.T) {
	rewards := []float64{0.2, 0.9, 0.5}
	for k, percent := range map[int]float64{1: 20, 2: 90, 3: 90} {
		if got, ok := passk.Task(rewards, k); !ok || math.Abs(100*got-percent) > 1e-9 {
			t.Errorf("pass@%d is %v %%, %v; want %v %%", k, 100*got, ok, percent)
		}
	}
	if got, _ := passk.Task([]float64{-1, -0.5}, 2); got != -0.5 {
		t.Errorf("best of -1 and -0.5 is %v", got)
	}
	if got, _ := passk.Task([]float64{math.NaN(), 1}, 2); !math.IsNaN(got) {
		t.Errorf("with NaN: %v, want NaN", got)
	}
	// One reward between 0 and 1 is enough for the other rule, also behind the first k.
	if got, _ := passk.Task([]float64{0, 1, 0.5}, 1); got != 0 {
		t.Errorf("pass@1 of 0, 1, 0.5 is %v, want the first, 0", got)
	}
}

func TestAverage(t *testing.T) {
	if got := passk.Average(nil); got != 0 {
		t.Errorf("of nothing: %v, want 0", got)
	}
	one, other := []float64{0.1, 0.2, 0.3, 1e9}, []float64{1e9, 0.3, 0.2, 0.1}
	if a, b := passk.Average(one), passk.Average(other); a != b || math.Abs(a-250000000.15) > 1e-6 {
		t.Errorf("%v and %v in another order", a, b)
	}
}

func TestAllocations(t *testing.T) {
	tasks := [][]float64{{1, 0, 0, 1}, {0, 0, 0, 0}}
	if n := testing.AllocsPerRun(100, func() { passk.Mean(tasks, 2) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
