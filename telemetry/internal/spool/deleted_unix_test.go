//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package spool_test

import (
	"os"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

// What somebody deletes under a program is sent as long as that has it open. What comes later goes into a new folder, and is there
// for the next process.
func TestSpool_deleted(t *testing.T) {
	for name, path := range map[string]func(s *spool.Spool, root string) string{
		"all":     func(_ *spool.Spool, root string) string { return root },
		"segment": func(_ *spool.Spool, root string) string { return segments(t, root)[0] },
	} {
		t.Run(name, func(t *testing.T) {
			root := newRoot(t)
			s, said := openLoud(t, root, spool.Options{})
			appendTo(t, s, "before", "at once")
			if err := os.RemoveAll(path(s, root)); err != nil {
				t.Fatal(err)
			}
			appendTo(t, s, "after")
			if e := s.Oldest(); e == nil || string(e.Body) != "before" {
				t.Errorf("the oldest is %+v", e)
			} else {
				e.Done()
			}
			closeSpool(t, s)
			if c := s.Stats().Own; c != (spool.Counts{Kept: 3, Waiting: 1, Damaged: 1}) || !strings.Contains(said.String(), "items=1") {
				t.Errorf("%+v, and the log says %s", c, said)
			}
			wantBodies(t, drain(open(t, root, spool.Options{})), "after")
		})
	}
}
