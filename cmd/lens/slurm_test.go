package main

import (
	"os/exec"
	"testing"
)

// A shell reads back what was quoted for it.
func TestShellQuote(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "''",
		"a=1,b.c=%20x@y:/z_-+~":  "'a=1,b.c=%20x@y:/z_-+~'",
		"a=1,b.c=%20x@y:/z_-+":   "a=1,b.c=%20x@y:/z_-+",
		"it's":                   `'it'"'"'s'`,
		"$(touch x)`y`\"\\ ;&\n": "'$(touch x)`y`\"\\ ;&\n'",
		"é":                      "'é'",
	} {
		got := shellQuote(text)
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if out, err := exec.Command("sh", "-c", "printf %s "+got).Output(); err != nil || string(out) != text {
			t.Errorf("%q: a shell reads %q, %v", text, out, err)
		}
	}
}
