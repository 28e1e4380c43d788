package terminal

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// duration prints three significant digits and a unit, from a minute on two units.
func duration(ns float64) string {
	switch d := time.Duration(ns); {
	case ns < 0:
		return "-" + duration(-ns)
	case ns == 0:
		return "0"
	case d < time.Microsecond:
		return digits(ns, "ns")
	case d < time.Millisecond:
		return digits(ns/1e3, "µs")
	case d < time.Second:
		return digits(ns/1e6, "ms")
	case d < time.Minute:
		return digits(ns/1e9, "s")
	case d < time.Hour:
		return fmt.Sprintf("%d m %02d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %02d m", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%d d %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
}

func digits(v float64, unit string) string {
	decimals := 2
	switch {
	case v >= 99.95:
		decimals = 0
	case v >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " " + unit
}

// clock prints an instant of the API (decimal nanoseconds since 1970) in local time; not today, with its date.
func clock(instant string, now time.Time) string {
	ns, err := strconv.ParseInt(instant, 10, 64)
	if err != nil {
		return "unknown"
	}
	t := time.Unix(0, ns).In(now.Location())
	if y, m, d := t.Date(); y == now.Year() && m == now.Month() && d == now.Day() {
		return t.Format("15:04:05.000")
	}
	return t.Format("2006-01-02 15:04:05")
}

// cut shortens text to so many marks, with an ellipsis.
func cut(s string, n int) string {
	if n < 1 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
