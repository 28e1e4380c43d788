package runs

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"time"

	"github.com/lensgo/lens/viewer/internal/packed"
)

func TestBuckets(t *testing.T) {
	last := -1
	for _, ns := range []uint64{0, 1, 15, 16, 17, 31, 32, 33, 34, 63, 64, 1000, 1e6, 1e9, 3600e9, math.MaxInt64, math.MaxUint64} {
		b := bucket(ns)
		lo, hi := bounds(b)
		if b < last || b >= maxBucket || ns < lo || ns >= hi && hi > lo {
			t.Errorf("%d is in bucket %d, %d to %d", ns, b, lo, hi)
		}
		if lo >= 16 && float64(hi-lo)/float64(lo) > 0.0626 && hi > lo {
			t.Errorf("bucket %d is %d to %d", b, lo, hi)
		}
		last = b
	}
	for b := range maxBucket - 1 {
		_, hi := bounds(b)
		lo, _ := bounds(b + 1)
		if hi != lo || bucket(lo) != b+1 {
			t.Fatalf("bucket %d ends at %d, the next begins at %d", b, hi, lo)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	if h.quantile(50) != 0 {
		t.Error("a quantile of nothing")
	}
	for i := range 1000 {
		h.add(uint64(i+1) * 1e6)
	}
	for percent, want := range map[int]time.Duration{50: 500 * time.Millisecond, 95: 950 * time.Millisecond, 99: 990 * time.Millisecond, 100: time.Second} {
		if got := h.quantile(percent); math.Abs(float64(got-want)) > 0.035*float64(want) {
			t.Errorf("p%d is %v, want %v within 3 %%", percent, got, want)
		}
	}
	other := h.clone()
	h.merge(&other)
	if h.n != 2000 {
		t.Errorf("%d", h.n)
	}
	h.subtract(&other)
	h.subtract(&other)
	if h.n != 0 {
		t.Errorf("%d left", h.n)
	}
}

// TestSeriesAnyOrder: a series is the same in whatever order, by whatever parts it was made.
func TestSeriesAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		span := uint64(1) << (20 + rng.IntN(40))
		times := make([]uint64, 1+rng.IntN(50))
		for i := range times {
			times[i] = base + rng.Uint64N(span)
		}
		var whole, parts series
		for _, x := range times {
			whole.add(x, 1)
		}
		for mixed := shuffled(rng, times); len(mixed) > 0; {
			n := 1 + rng.IntN(len(mixed))
			var part series
			for _, x := range mixed[:n] {
				part.add(x, 1)
			}
			parts.merge(&part)
			mixed = mixed[n:]
		}
		a, b := whole.public(), parts.public()
		sum := uint32(0)
		for _, n := range a.Count {
			sum += n
		}
		if !reflect.DeepEqual(a, b) || len(a.Count) > maxSteps || int(sum) != len(times) {
			t.Fatalf("%+v\nby parts\n%+v", a, b)
		}
		d := decoder{packed.NewReader(whole.append(nil))}
		var read series
		if read.read(&d); d.Err() != nil || !reflect.DeepEqual(read.public(), a) {
			t.Fatalf("read %+v, %v", read.public(), d.Err())
		}
		parts.subtract(&whole)
		if x := parts.public(); x.Count != nil {
			t.Fatalf("left: %+v", x)
		}
	}
	var s series
	s.add(0, 1)
	s.add(math.MaxUint64, 1)
	if x := s.public(); len(x.Count) > maxSteps {
		t.Errorf("%d steps", len(x.Count))
	}
}
