package export

import (
	"math/rand/v2"
	"time"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// Pauses between tries: the first, how they grow, and the longest that we choose. A collector may ask for a longer one.
const (
	firstPause = 500 * time.Millisecond
	pauseRatio = 1.6
	mostPause  = 30 * time.Second

	// mostAsked bounds what a collector may ask for: a clock that is wrong must not silence a program for a day.
	mostAsked = 10 * time.Minute
)

// pause is what stands between two tries.
type pause struct {
	failures int
	until    time.Time
	asked    bool // the collector wants at least this
}

// on reports whether it is not over.
func (p pause) on() bool { return p.failures > 0 && time.Now().Before(p.until) }

// after counts a failure and says how long to wait: longer each time, a fifth more or less so that many processes do not
// come at once, and not less than the collector asks for.
func (p *pause) after(f *otlp.Failure) time.Duration {
	wait := float64(firstPause)
	for range min(p.failures, 32) {
		wait = min(wait*pauseRatio, float64(mostPause))
	}
	p.failures++
	wait *= 0.8 + 0.4*rand.Float64()
	p.asked = f.After > 0
	return max(time.Duration(wait), min(f.After, mostAsked))
}
