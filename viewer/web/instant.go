package web

import (
	"strconv"
	"time"
)

// Instant is a moment in nanoseconds since 1970. It is a string in JSON, because a JavaScript number cannot hold it.
type Instant uint64

// AppendText appends the decimal number. It never fails.
func (t Instant) AppendText(b []byte) ([]byte, error) {
	return strconv.AppendUint(b, uint64(t), 10), nil
}

// MarshalText returns the decimal number. It never fails.
func (t Instant) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalText reads what MarshalText wrote.
func (t *Instant) UnmarshalText(b []byte) error {
	u, err := strconv.ParseUint(string(b), 10, 64)
	*t = Instant(u)
	return err
}

// at is the instant in whole seconds, as links carry it.
func (t Instant) at() int64 { return int64(t / 1e9) }

// known is nil for the zero instant.
func known(t uint64) *Instant {
	if t == 0 {
		return nil
	}
	return new(Instant(t))
}

// clockOf turns a time into an instant, nil for the zero time.
func clockOf(t time.Time) *Instant {
	if t.IsZero() || t.UnixNano() <= 0 {
		return nil
	}
	return new(Instant(t.UnixNano()))
}

// maxGap is the largest number up to which JavaScript counts one by one: 104 days of nanoseconds.
const maxGap = 1<<53 - 1

// gap is the time from start to t, negative when t is before. Times that no clock gave (0, the largest number) do not get
// out of bounds.
func gap(t, start uint64) int64 {
	if t < start {
		return -int64(min(start-t, maxGap))
	}
	return int64(min(t-start, maxGap))
}
