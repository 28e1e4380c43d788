package runs

import (
	"math"
	"testing"
	"time"
)

// Bars of equal width need bins whose ends have one ratio, and every duration is in the bin that says so.
func TestDurationBins(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 2, 999, time.Microsecond, 33 * time.Millisecond, time.Second, 5*time.Second + 1, time.Hour, math.MaxInt64} {
		b := new(durationBins)
		b.add(&Rollout{End: uint64(d), Outcome: Failed})
		list := b.list()
		if len(list) != 1 || list[0].Finished != 1 || list[0].Failed != 1 {
			t.Fatalf("%v: %+v", d, list)
		}
		if x := list[0]; max(d, 1) < x.From || d >= x.To && d != math.MaxInt64 {
			t.Errorf("%v is in the bin from %v to %v", d, x.From, x.To)
		}
	}
	b := new(durationBins)
	for _, d := range []time.Duration{time.Second, 40 * time.Second} {
		b.add(&Rollout{End: uint64(d), Outcome: Scored})
	}
	for _, x := range b.list() {
		if ratio := float64(x.To) / float64(x.From); math.Abs(ratio-math.Exp2(1.0/binsPerOctave)) > 1e-6 {
			t.Errorf("from %v to %v is a ratio of %v", x.From, x.To, ratio)
		}
	}
}
