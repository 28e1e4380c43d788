package printable

import (
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
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
		if got := Line(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[2J\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q gives text that is not UTF-8: %q", s, got)
		}
		for _, r := range got {
			if active(r) {
				t.Fatalf("%q gives %q, which holds %U", s, got, r)
			}
		}
		if Line(got) != got {
			t.Fatalf("%q is cleaned twice", s)
		}
	})
}
