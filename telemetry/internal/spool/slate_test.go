//go:build linux || darwin

package spool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/slate"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// requests makes one of each note. What was open is truncated.
func requests(c slate.Content) (list []spool.Request) {
	for _, n := range c.Notes {
		r := spool.Request{Items: 1, Tried: n.State == slate.Sending, Body: n.Body}
		if n.State == slate.Open {
			r.Truncated = 1
		}
		list = append(list, r)
	}
	return list
}

// leaveSlate leaves a record and a slate with three notes, as a process does that is killed, and returns its folder.
func leaveSlate(t *testing.T, root string) string {
	t.Helper()
	s := open(t, root, spool.Options{})
	appendTo(t, s, "record")
	sl, err := s.Slate(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	p := sl.Part(0)
	p.Lock()
	for body, state := range map[string]slate.State{"open": slate.Open, "ended": slate.Ended, "sending": slate.Sending} {
		if _, err := p.Put(state, 0, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	p.Unlock()
	if err := sl.Close(); err != nil {
		t.Fatal(err)
	}
	closeSpool(t, s)
	paths, err := filepath.Glob(filepath.Join(s.Dir(), "*", "slate"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v, %v", paths, err)
	}
	return filepath.Dir(paths[0])
}

// What is on the slate of a process that is gone is sent behind what it had in its segments.
func TestSlate(t *testing.T) {
	root := newRoot(t)
	leaveSlate(t, root)
	s := open(t, root, spool.Options{Requests: requests})
	if got := s.Stats(); got != (spool.Stats{TakenOver: spool.Counts{Kept: 4, Waiting: 4}, Truncated: 1}) {
		t.Errorf("Stats %+v", got)
	}
	bodies := map[string]bool{}
	first := s.Oldest()
	if string(first.Body) != "record" {
		t.Errorf("%q comes first", first.Body)
	}
	first.Done()
	for e := s.Oldest(); e != nil; e = s.Oldest() {
		if bodies[string(e.Body)] = true; e.Tried != (string(e.Body) == "sending") {
			t.Errorf("%s: tried %v", e.Body, e.Tried)
		}
		e.Done()
	}
	if len(bodies) != 3 {
		t.Errorf("%v", bodies)
	}
	closeSpool(t, s)
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Who does not know what to do with a slate leaves it.
func TestSlate_that_nobody_wants(t *testing.T) {
	root := newRoot(t)
	dir := leaveSlate(t, root)
	s := open(t, root, spool.Options{})
	wantBodies(t, drain(s), "record")
	closeSpool(t, s)
	if !slate.Exists(dir) {
		t.Error("it is gone")
	}
	s = open(t, root, spool.Options{Requests: requests})
	if got := drain(s); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// Whoever takes a slate over may be killed at any moment: nothing is lost, and nothing comes twice.
func TestSlate_taken_over_in_part(t *testing.T) {
	t.Run("before the segment had its name", func(t *testing.T) {
		root := newRoot(t)
		dir := leaveSlate(t, root)
		if err := os.WriteFile(filepath.Join(dir, ".new-slate"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := drain(open(t, root, spool.Options{Requests: requests})); len(got) != 4 {
			t.Errorf("%q", got)
		}
	})
	t.Run("before the slate was gone", func(t *testing.T) {
		root := newRoot(t)
		dir := leaveSlate(t, root)
		kept, err := os.ReadFile(filepath.Join(dir, "slate"))
		if err != nil {
			t.Fatal(err)
		}
		closeSpool(t, open(t, root, spool.Options{Requests: requests}))
		moved := segments(t, root)
		last := moved[len(moved)-1]
		if err := os.Rename(last, filepath.Join(filepath.Dir(last), "slate.seg")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(last), "slate"), kept, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, root, spool.Options{Requests: requests})
		if got := drain(s); len(got) != 4 || strings.Count(strings.Join(got, " "), "open") != 1 {
			t.Errorf("%q", got)
		}
	})
}

// What is damaged is counted and said.
func TestSlate_damaged(t *testing.T) {
	root := newRoot(t)
	path := filepath.Join(leaveSlate(t, root), "slate")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[strings.Index(string(b), "ended")]++
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, said := openLoud(t, root, spool.Options{Requests: requests})
	if c := s.Stats().TakenOver; c != (spool.Counts{Kept: 4, Waiting: 3, Damaged: 1}) || !strings.Contains(said.String(), "items=1") {
		t.Errorf("%+v, and the log says %s", c, said)
	}
	if got := drain(s); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// A spool that is closed, or that nobody may write, has no slate.
func TestSlate_cannot_be(t *testing.T) {
	s := open(t, newRoot(t), spool.Options{})
	closeSpool(t, s)
	if _, err := s.Slate(1 << 20); err == nil {
		t.Error("a closed spool has a slate")
	}
}

// Looking counts what a killed process had noted, and leaves it there.
func TestLook_slate(t *testing.T) {
	root := newRoot(t)
	dir := leaveSlate(t, root)
	for range 2 {
		if all, err := spool.Look(root); err != nil || len(all) != 1 || all[0].Items != 4 || all[0].Living != 0 || !slate.Exists(dir) {
			t.Errorf("%+v, %v", all, err)
		}
	}
}
