package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/bench"
)

// A machine that slows down from round to round changes times, and no ratio.
func TestInterleave_ratio_within_rounds(t *testing.T) {
	var ran []string
	round := 0.0
	one := func(name string, cost float64) bench.Case {
		return bench.Case{Name: name, Run: func(context.Context) (bench.Sample, error) {
			slow := math.Pow(2, math.Floor(round/2))
			round++
			ran = append(ran, name)
			return bench.Sample{"cpu": cost * slow}, nil
		}}
	}
	r, err := bench.Interleave(t.Context(), 9, []bench.Case{one("ours", 3), one("theirs", 12)})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Ratio("ours", "theirs", "cpu"); got != (bench.Spread{N: 9, Median: .25, P25: .25, P75: .25}) {
		t.Errorf("ratio %v", got)
	}
	if got := r.Of("ours", "cpu"); got.Median != 48 || got.P25 != 12 || got.P75 != 192 {
		t.Errorf("cpu %v", got)
	}
	for i := 0; i < len(ran); i += 2 {
		if ran[i] == ran[i+1] {
			t.Fatalf("a round ran one case twice: %v", ran)
		}
	}
	if first := slices.Index(ran, "ours"); !slices.ContainsFunc([]int{0, 2, 4, 6, 8, 10, 12, 14, 16}, func(i int) bool { return ran[i] != ran[first%2] }) {
		t.Errorf("every round has the same order: %v", ran)
	}
}

func TestInterleave_errors_and_missing_numbers(t *testing.T) {
	bad := errors.New("broken")
	_, err := bench.Interleave(t.Context(), 3, []bench.Case{{Name: "a", Run: func(context.Context) (bench.Sample, error) { return nil, bad }}})
	if !errors.Is(err, bad) || !strings.HasPrefix(err.Error(), "a: ") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(bad)
	if _, err := bench.Interleave(ctx, 1, []bench.Case{{Name: "a"}}); !errors.Is(err, bad) {
		t.Errorf("error %v", err)
	}
	r, err := bench.Interleave(t.Context(), 1, []bench.Case{{Name: "a", Run: func(context.Context) (bench.Sample, error) { return bench.Sample{}, nil }}})
	if got := r.Ratio("a", "a", "cpu"); err != nil || got.N != 0 || got.String() != "missing" || !math.IsNaN(got.Median) {
		t.Errorf("a measure that nobody made is %v, %v", got, err)
	}
}

func TestAdded(t *testing.T) {
	fixed := func(v float64) func(context.Context) (bench.Sample, error) {
		return func(context.Context) (bench.Sample, error) { return bench.Sample{"cpu": v}, nil }
	}
	r, err := bench.Interleave(t.Context(), 3, []bench.Case{
		{Name: "bare", Run: fixed(10)}, {Name: "ours", Run: fixed(11)}, {Name: "theirs", Run: fixed(14)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Added("ours", "theirs", "bare", "cpu"); got.N != 3 || got.Median != .25 {
		t.Errorf("1 more by 4 more is %v", got)
	}
	if got := r.Added("ours", "bare", "bare", "cpu"); got.N != 0 {
		t.Errorf("by what adds nothing it is %v", got)
	}
	if got := r.Added("ours", "nobody", "bare", "cpu"); got.N != 0 {
		t.Errorf("by what is missing it is %v", got)
	}
}

func TestSpread_JSON(t *testing.T) {
	b, err := json.Marshal([]bench.Spread{{N: 3, Median: 2, P25: 1, P75: 3}, bench.SpreadOf(nil)})
	if got, want := string(b), `[{"n":3,"median":2,"p25":1,"p75":3},null]`; got != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 3, 4, 5}
	for q, want := range map[float64]float64{0: 1, .25: 2, .5: 3, .6: 3.4, .99: 4.96, 1: 5} {
		if got := bench.Quantile(v, q); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
}

func TestSlope(t *testing.T) {
	if got := bench.Slope([]float64{1, 2, 3}, []float64{10, 12, 14}); got != 2 {
		t.Errorf("slope %g, want 2", got)
	}
	if got := bench.Slope([]float64{1}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("slope of a point is %g", got)
	}
}

func TestRound(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3: "3", .0123: "0.012", .256: "0.26", 3.14159: "3.14", 31.4159: "31.4", 314159.26: "314159", math.NaN(): "missing"} {
		if got := bench.Round(v); got != want {
			t.Errorf("Round(%g) is %s, want %s", v, got, want)
		}
	}
}
