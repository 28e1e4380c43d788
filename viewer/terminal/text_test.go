package terminal

import (
	"testing"
	"time"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"POST /verify":                      "POST /verify",
		"größer 模型 😀":                       "größer 模型 😀",
		"a\x1b[2J\x1b]0;x\x07\nFAKE {\"l\"": `a\x1b[2J\x1b]0;x\a\nFAKE {"l"`,
		"a\tb\rc":                           `a\tb\rc`,
		"a\xffb":                            `a\xffb`,
		"\u202egnp.exe\u200b":               `\u202egnp.exe\u200b`,
		"\ufffd":                            "\ufffd",
		"\u0085\u2028":                      `\u0085\u2028`,
		"":                                  "",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[2J\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q gives text that is not UTF-8: %q", s, got)
		}
		for _, r := range got {
			if unsafe(r) {
				t.Fatalf("%q gives %q, which holds %U", s, got, r)
			}
		}
		if clean(got) != got {
			t.Fatalf("%q is cleaned twice", s)
		}
	})
}

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
