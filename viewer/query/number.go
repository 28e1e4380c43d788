package query

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// unit is a factor to the number that a [Record] gives.
type unit struct {
	name   string
	factor float64
}

var (
	durationUnits = []unit{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 24 * 3600e9}}
	countUnits    = []unit{{"k", 1e3}, {"M", 1e6}}
	ratioUnits    = []unit{{"%", 0.01}}
	plainUnits    = []unit{{"k", 1e3}, {"M", 1e6}, {"%", 0.01}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}
)

// units returns what may stand behind a number of a field, and the factor when nothing does.
func (i Info) units() ([]unit, float64) {
	switch {
	case i.Field == Attribute:
		return plainUnits, 1
	case i.Type == IsDuration || i.Type == IsTime:
		return durationUnits, 1e9
	case i.Type == IsRatio:
		return ratioUnits, 1
	}
	return countUnits, 1
}

// number reads a number with its unit, without the factor of the unit: 0 when there was none.
func number(text string, units []unit) (x, factor float64, ok bool) {
	text = strings.ReplaceAll(text, "−", "-")
	end := len(text)
	for end > 0 && text[end-1] != '.' && (text[end-1] < '0' || text[end-1] > '9') {
		end--
	}
	x, err := strconv.ParseFloat(text[:end], 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(text[:end], "xXpP_") {
		return 0, 0, false
	}
	if end == len(text) {
		return x, 0, true
	}
	for _, u := range units {
		if u.name == text[end:] {
			return x, u.factor, true
		}
	}
	return 0, 0, false
}

// scalar reads a number of the field.
func (i Info) scalar(text string) (float64, bool) {
	units, own := i.units()
	x, factor, ok := number(text, units)
	if factor == 0 {
		factor = own
	}
	return x * factor, ok
}

// between reads "lo..hi".
func (i Info) between(text string) (span, bool) {
	a, b, ok := strings.Cut(text, "..")
	if !ok {
		return span{}, false
	}
	units, own := i.units()
	lo, loUnit, okLo := number(a, units)
	hi, hiUnit, okHi := number(b, units)
	if hiUnit == 0 {
		hiUnit = own
	}
	if loUnit == 0 {
		loUnit = hiUnit
	}
	return span{lo: lo * loUnit, hi: hi * hiUnit}, okLo && okHi
}

// instant reads an age, or a date, as nanoseconds since 1970.
func (i Info) instant(text string, now time.Time) (float64, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.UnixNano()), true
		}
	}
	age, ok := i.scalar(text)
	return float64(now.UnixNano()) - age, ok && age >= 0
}

// near is the range that counts as equal: what a person types is a decimal, what is compared was computed.
func near(x float64) span {
	e := math.Abs(x) * 1e-12
	return span{lo: x - e, hi: x + e}
}
