package viewer

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Retention says how much is kept: what is older, or does not fit, goes, the oldest first. A zero field is no bound.
type Retention struct {
	Bytes int64
	Age   time.Duration
}

// DefaultRetention is that of a viewer that was not told.
var DefaultRetention = Retention{Bytes: 2e9, Age: 7 * day}

const day = 24 * time.Hour

// sizes and ages are the units of [ParseRetention], longest names first. Bytes are decimal, as the page shows them.
var (
	sizes = []struct {
		unit  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}}
	ages = []struct {
		unit string
		age  time.Duration
	}{{"w", 7 * day}, {"d", day}, {"h", time.Hour}, {"m", time.Minute}}
)

// ParseRetention reads a size, an age, or both: "2GB,7d". "all" keeps everything. Sizes end in kB, MB, GB or TB, ages in m, h,
// d or w.
func ParseRetention(text string) (Retention, error) {
	var r Retention
	if strings.TrimSpace(text) == "all" {
		return r, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if err := r.add(strings.TrimSpace(part)); err != nil {
			return Retention{}, fmt.Errorf("cannot read the retention %q: %w", text, err)
		}
	}
	return r, nil
}

// add reads one part.
func (r *Retention) add(part string) error {
	for _, s := range sizes {
		if n, ok := quantity(part, s.unit); ok {
			if r.Bytes != 0 {
				return errors.New("it has two sizes")
			}
			if n*s.bytes > math.MaxInt64/2 {
				return fmt.Errorf("%s is more than a disk holds", part)
			}
			r.Bytes = int64(n * s.bytes)
			return nil
		}
	}
	for _, a := range ages {
		if n, ok := quantity(part, a.unit); ok {
			if r.Age != 0 {
				return errors.New("it has two ages")
			}
			if n*float64(a.age) > math.MaxInt64/2 {
				return fmt.Errorf("%s is longer than a hundred years", part)
			}
			r.Age = time.Duration(n * float64(a.age))
			return nil
		}
	}
	return fmt.Errorf("%q is neither a size such as 2GB nor an age such as 7d; \"all\" keeps everything", part)
}

// quantity reads a positive number before a unit.
func quantity(part, unit string) (float64, bool) {
	number, ok := strings.CutSuffix(part, unit)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	return n, err == nil && n > 0 && !math.IsInf(n, 0)
}

// String is the form that ParseRetention reads.
func (r Retention) String() string {
	var parts []string
	if r.Bytes > 0 {
		parts = append(parts, strconv.FormatFloat(float64(r.Bytes)/1e9, 'f', -1, 64)+"GB")
	}
	if r.Age > 0 {
		parts = append(parts, strconv.FormatFloat(r.Age.Hours()/24, 'f', -1, 64)+"d")
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, ",")
}
