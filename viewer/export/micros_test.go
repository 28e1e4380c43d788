package export

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Whoever multiplies by 1000, and cuts or rounds as Perfetto does, gets every nanosecond back, for times of up to six days.
func TestAppendMicros(t *testing.T) {
	for ns, want := range map[int64]string{0: "0", 1: "0.001", 1000: "1", 12300: "12.300", 1_000_001: "1000.001"} {
		if got := string(appendMicros(nil, ns)); got != want {
			t.Errorf("%d ns are %s µs, want %s", ns, got, want)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	longer := 0
	for range 300_000 {
		ns := rnd.Int64N(int64(1) << (1 + rnd.IntN(49)))
		text := string(appendMicros(nil, ns))
		f, err := strconv.ParseFloat(text, 64)
		if cut, rounded := int64(f*1000), int64(math.Round(f*1000)); err != nil || cut != ns || rounded != ns {
			t.Fatalf("%d ns are %s µs, read back as %d or %d", ns, text, cut, rounded)
		}
		if ns%1000 != 0 && text[len(text)-4] != '.' {
			longer++
		}
	}
	if longer == 0 {
		t.Error("no number needed its fourth digit: then nothing was tested")
	}
}
