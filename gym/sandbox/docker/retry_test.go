package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/sandbox"
)

// refuse has a fake fail at its next calls of a verb.
func (f fake) refuse(t *testing.T, verb, text string, times int) {
	t.Helper()
	for i := range times {
		if err := os.WriteFile(filepath.Join(f.dir, fmt.Sprintf("once-%s-%d", verb, i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// count is how often a verb was called.
func (f fake) count(t *testing.T, verb string) (n int) {
	t.Helper()
	for _, call := range f.calls(t) {
		if call[0] == verb {
			n++
		}
	}
	return n
}

// A creation that may succeed in a moment is tried again, within bounds; one that cannot is not. No try leaves anything behind.
func TestCreate_again(t *testing.T) {
	const limited = "docker: Error response from daemon: toomanyrequests: You have reached your pull rate limit."
	none := 0
	for name, test := range map[string]struct {
		options    Options
		verb, text string
		times      int
		runs       int
		created    bool
	}{
		"once":               {Options{}, "run", limited, 1, 2, true},
		"as often as it may": {Options{}, "run", limited, 2, 3, true},
		"too often":          {Options{}, "run", limited, 3, 3, false},
		"never":              {Options{Retries: &none}, "run", limited, 1, 1, false},
		"no time left":       {Options{Timeout: 29, RetryDelay: 3600}, "run", limited, 1, 1, false},
		"wrong for good":     {Options{}, "run", "docker: Error response from daemon: pull access denied for no/such, repository does not exist", 1, 1, false},
		"runs no commands":   {Options{}, "exec", "Error response from daemon: dial unix docker.sock: connection refused", 1, 2, true},
		"has no shell":       {Options{}, "exec", `exec: "sh": executable file not found in $PATH`, 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			if test.options.RetryDelay == 0 {
				test.options.RetryDelay = 0.001
			}
			p, f := newFake(t, test.options)
			f.refuse(t, test.verb, test.text, test.times)
			h, err := p.Create(t.Context(), sandbox.Spec{Image: "i"})
			if (err == nil) != test.created || f.count(t, "run") != test.runs {
				t.Errorf("after %d calls of run: %v", f.count(t, "run"), err)
			}
			if !test.created {
				if !strings.Contains(err.Error(), test.text) {
					t.Error(err)
				}
			} else if err := p.Remove(t.Context(), h); err != nil {
				t.Error(err)
			}
			if left := f.containers(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	if _, err := New(Options{Retries: new(-1)}); err == nil || !strings.Contains(err.Error(), "create_retries is -1") {
		t.Error(err)
	}
}

// A wait ends with its context.
func TestAgain_canceled(t *testing.T) {
	p, err := New(Options{RetryDelay: 3600})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p.again(ctx, 1, 24*time.Hour, errors.New("bad gateway")) {
		t.Error("it goes on")
	}
}

func TestDelay(t *testing.T) {
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]time.Duration{1: 5 * time.Second, 2: 10 * time.Second, 4: 40 * time.Second, 5: time.Minute, 31: time.Minute, 1000: time.Minute} {
		if most, least := p.waits.After(n, 0), p.waits.After(n, 0.999999); most != want || least < want/2 || least > most {
			t.Errorf("after try %d: %s to %s, want up to %s", n, least, most, want)
		}
	}
}
