package terminal

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0", 7: "7.00 ns", 850: "850 ns", 1_234: "1.23 µs", 9_222_000: "9.22 ms", 99_960_000: "100 ms", 12_100_000: "12.1 ms",
		1_500_000_000: "1.50 s", 10_900_000_000: "10.9 s", 66e9: "1 m 06 s", 7_500e9: "2 h 05 m", 532_800e9: "6 d 4 h", -2e6: "-2.00 ms",
	} {
		if got := duration(ns); got != want {
			t.Errorf("%v: %q, want %q", ns, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for instant, want := range map[string]string{
		"1796004000123456789": "02:00:00.123",
		"1795917600000000000": "2026-11-29 02:00:00",
		"":                    "unknown",
	} {
		if got := clock(instant, now); got != want {
			t.Errorf("%q: %q, want %q", instant, got, want)
		}
	}
}
