package spool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

func TestSpool(t *testing.T) {
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	if e := s.Oldest(); e != nil || !s.Empty() {
		t.Fatal("a new spool has something")
	}
	first, err := s.Append(3, []byte("a"), false)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Append(4, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if first.Tried || !second.Tried || first.Items != 3 || second.Items != 4 || s.Empty() {
		t.Errorf("%+v, %+v", first, second)
	}
	if got := s.Stats(); got != (spool.Stats{Own: spool.Counts{Kept: 7, Waiting: 7}}) {
		t.Errorf("%+v", got)
	}
	for range 2 { // the same as long as it is not done
		if e := s.Oldest(); string(e.Body) != "a" || e.Items != 3 || e.Tried || e.TakenOver {
			t.Errorf("%+v", e)
		}
	}
	s.Oldest().Done()
	first.Done() // a second time is nothing
	if e := s.Oldest(); len(e.Body) != 0 || e.Items != 4 || !e.Tried {
		t.Errorf("%+v", e)
	}
	second.Done()
	if got := s.Stats(); s.Oldest() != nil || !s.Empty() || got != (spool.Stats{Own: spool.Counts{Kept: 7}}) {
		t.Errorf("%+v", got)
	}
	if left := segments(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	closeSpool(t, s)
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left after Close: %v", left)
	}
}

// What was tried may have arrived, which the next process must know; what the collector has refused for now has not.
func TestEntry_states_outlive_the_process(t *testing.T) {
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	entries := appendTo(t, s, "waiting", "tried", "untried", "done", "tried at once")
	entries[1].Try()
	entries[2].Try()
	entries[2].Untry()
	entries[3].Try()
	entries[3].Done()
	entries[3].Try()
	entries[3].Untry()
	entries[4].Untry() // waits already
	if e, err := s.Append(1, []byte("may have arrived"), true); err != nil || !e.Tried {
		t.Errorf("%+v, %v", e, err)
	}
	closeSpool(t, s)
	s = open(t, root, spool.Options{})
	got := []string{}
	for e := s.Oldest(); e != nil; e = s.Oldest() {
		got = append(got, fmt.Sprintf("%s %t %t", e.Body, e.Tried, e.TakenOver))
		e.Done()
	}
	wantBodies(t, got, "waiting false true", "tried true true", "untried false true", "tried at once false true", "may have arrived true true")
	if got := s.Stats(); got != (spool.Stats{TakenOver: spool.Counts{Kept: 5}}) {
		t.Errorf("%+v", got)
	}
}

// Records come out in the order in which they came in, over segments, and those of dead processes before ours.
func TestSpool_order(t *testing.T) {
	root := newRoot(t)
	now := clock()
	var want []string
	for process := range 3 {
		s := open(t, root, spool.Options{Now: now, MaxBytes: 8 << 20})
		for i := range 30 {
			body := fmt.Sprint(process, " ", i, " ", strings.Repeat("x", 64<<10))
			appendTo(t, s, body)
			want = append(want, body)
		}
		if process == 0 {
			wantSegments(t, root, 4)
		}
		closeSpool(t, s)
	}
	s := open(t, root, spool.Options{Now: now, MaxBytes: 8 << 20})
	appendTo(t, s, "ours")
	wantBodies(t, drain(s), append(want, "ours")...)
	if left := segments(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func wantSegments(t *testing.T, root string, least int) {
	t.Helper()
	if n := len(segments(t, root)); n < least {
		t.Errorf("%d segments, want %d at least", n, least)
	}
}

// What was taken over and not sent is there for the process after the next.
func TestSpool_taken_over_twice(t *testing.T) {
	root := newRoot(t)
	now := clock()
	for i := range 3 {
		s := open(t, root, spool.Options{Now: now})
		appendTo(t, s, fmt.Sprint(i))
		closeSpool(t, s)
	}
	s := open(t, root, spool.Options{Now: now})
	if n := len(files(t, root)); n != 4 { // three segments and one lock
		t.Errorf("%d files", n)
	}
	wantBodies(t, drain(s), "0", "1", "2")
}

// Spools of two destinations know nothing of each other.
func TestSpool_destinations(t *testing.T) {
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	appendTo(t, s, "a")
	closeSpool(t, s)
	other, err := spool.Open(root, spool.Destination{Key: "other", Signal: "logs", URL: "http://h"}, spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeSpool(t, other)
	if other.Oldest() != nil || other.Dir() != filepath.Join(root, "other") {
		t.Errorf("%s has %+v", other.Dir(), other.Stats())
	}
	if _, err := os.Stat(other.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a spool that kept nothing made its folder: %v", err)
	}
	appendTo(t, other, "b")
	text, err := os.ReadFile(filepath.Join(other.Dir(), "destination.json"))
	if err != nil {
		t.Fatal(err)
	}
	var note map[string]string
	if err := json.Unmarshal(text, &note); err != nil || len(note) != 2 || note["signal"] != "logs" || note["url"] != "http://h" {
		t.Errorf("%s: %v", text, err)
	}
}

// A destination with nothing left leaves no folder, and one that is tidied away is made again.
func TestSpool_tidy(t *testing.T) {
	root := newRoot(t)
	s, other := open(t, root, spool.Options{}), open(t, root, spool.Options{})
	appendTo(t, s, "a")
	drain(s)
	closeSpool(t, s)
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
	appendTo(t, other, "b")
	wantBodies(t, drain(other), "b")
	closeSpool(t, other)
}

// A process that lives keeps what it has, also from another spool in itself.
func TestSpool_of_a_living_process(t *testing.T) {
	root := newRoot(t)
	living := open(t, root, spool.Options{})
	appendTo(t, living, "a")
	other := open(t, root, spool.Options{})
	if !other.Empty() {
		t.Error("it was taken from who has it")
	}
	appendTo(t, other, "b")
	wantBodies(t, drain(living), "a")
	wantBodies(t, drain(other), "b")
}

func TestSpool_full(t *testing.T) {
	const most, n = 256 << 10, 200
	root := newRoot(t)
	s := open(t, root, spool.Options{MaxBytes: most})
	for i := range n {
		appendTo(t, s, fmt.Sprintf("%03d%s", i, strings.Repeat("x", 4<<10)))
		if used := size(t, root); used > most {
			t.Fatalf("%d bytes are used, %d are allowed", used, most)
		}
	}
	c := s.Stats().Own
	if c.Kept != n || c.Overflowed == 0 || c.Waiting < 40 || c.Waiting+c.Overflowed != n || c.Damaged != 0 {
		t.Errorf("%+v", c)
	}
	got := drain(s)
	if uint64(len(got)) != c.Waiting {
		t.Fatalf("%d records, want %d", len(got), c.Waiting)
	}
	for i, body := range got { // the newest, without a gap
		if want := fmt.Sprintf("%03d", n-len(got)+i); body[:3] != want {
			t.Errorf("record %d is %s, want %s", i, body[:3], want)
		}
	}
}

func size(t *testing.T, root string) (n int64) {
	t.Helper()
	for _, path := range segments(t, root) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

// A record that is dropped for newer ones while it is on its way counts as what becomes of it.
func TestSpool_full_while_it_sends(t *testing.T) {
	s := open(t, newRoot(t), spool.Options{MaxBytes: 200 << 10})
	appendTo(t, s, "first", strings.Repeat("x", 60<<10))
	e := s.Oldest()
	e.Try()
	for range 3 {
		appendTo(t, s, strings.Repeat("y", 60<<10))
	}
	if c := s.Stats().Own; c != (spool.Counts{Kept: 5, Waiting: 3, Overflowed: 2}) {
		t.Errorf("before it is there: %+v", c)
	}
	e.Untry()
	e.Done()
	e.Done()
	if c := s.Stats().Own; c != (spool.Counts{Kept: 5, Waiting: 3, Overflowed: 1}) {
		t.Errorf("after: %+v", c)
	}
}

func TestSpool_what_does_not_fit(t *testing.T) {
	root := newRoot(t)
	s := open(t, root, spool.Options{MaxBytes: 100})
	appendTo(t, s, "small")
	if _, err := s.Append(1, make([]byte, 100), false); err == nil || !strings.Contains(err.Error(), "100 bytes") {
		t.Errorf("Append: %v", err)
	}
	appendTo(t, s, strings.Repeat("x", 100-16-8))
	if used := size(t, root); used != 100 {
		t.Errorf("%d bytes", used)
	}
	wantBodies(t, drain(s), strings.Repeat("x", 100-16-8))
	if c := s.Stats().Own; c != (spool.Counts{Kept: 2, Overflowed: 1}) {
		t.Errorf("%+v", c)
	}
}

// What dead processes have left together may be more than the spool may hold.
func TestSpool_takes_over_too_much(t *testing.T) {
	root := newRoot(t)
	now := clock()
	for i := range 3 {
		s := open(t, root, spool.Options{Now: now})
		appendTo(t, s, fmt.Sprint(i), strings.Repeat("x", 50<<10))
		closeSpool(t, s)
	}
	s, said := openLoud(t, root, spool.Options{Now: now, MaxBytes: 110 << 10})
	if c := s.Stats(); c != (spool.Stats{TakenOver: spool.Counts{Kept: 6, Waiting: 4, Overflowed: 2}}) {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(said.String(), "items=2") {
		t.Errorf("the log says %q", said)
	}
	if e := s.Oldest(); string(e.Body) != "1" {
		t.Errorf("the oldest is %.20s", e.Body)
	}
}

func TestSpool_Close(t *testing.T) {
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	e := appendTo(t, s, "a", "b")[0]
	before := s.Stats()
	closeSpool(t, s)
	closeSpool(t, s)
	e.Try()
	e.Untry()
	e.Done() // nobody would know
	if _, err := s.Append(1, []byte("c"), false); err == nil {
		t.Error("a closed spool takes something")
	}
	if s.Oldest() != nil {
		t.Error("a closed spool has something")
	}
	if err := s.Sync(); err != nil {
		t.Error(err)
	}
	if s.Stats() != before {
		t.Errorf("%+v, want %+v", s.Stats(), before)
	}
	wantBodies(t, drain(open(t, root, spool.Options{})), "a", "b")
}

func TestSpool_Sync(t *testing.T) {
	s := open(t, newRoot(t), spool.Options{})
	appendTo(t, s, "a")
	for range 2 {
		if err := s.Sync(); err != nil {
			t.Error(err)
		}
	}
}

// Several goroutines add, one sends, one syncs. Each record comes out once, in the order of its goroutine.
func TestSpool_concurrently(t *testing.T) {
	const writers, each = 4, 200
	s := open(t, newRoot(t), spool.Options{MaxBytes: 16 << 20})
	var adding, syncing sync.WaitGroup
	for w := range writers {
		adding.Go(func() {
			for i := range each {
				e, err := s.Append(1, fmt.Appendf(nil, "%d %3d %s", w, i, strings.Repeat("x", 2<<10)), false)
				if err != nil {
					t.Error(err)
				} else if i%10 == 0 {
					e.Try()
					e.Untry()
				}
			}
		})
	}
	added, drained := make(chan struct{}), make(chan struct{})
	syncing.Go(func() {
		for {
			if err := s.Sync(); err != nil {
				t.Error(err)
			}
			s.Stats()
			select {
			case <-drained:
				return
			default:
			}
		}
	})
	go func() { adding.Wait(); close(added) }()
	next := [writers]int{}
	for done := false; ; {
		e := s.Oldest()
		if e == nil {
			if done {
				break
			}
			select {
			case <-added:
				done = true
			default:
			}
			continue
		}
		var w, i int
		if _, err := fmt.Sscan(string(e.Body), &w, &i); err != nil || next[w] != i {
			t.Fatalf("%.20s of %v: %v", e.Body, next, err)
		}
		next[w]++
		e.Try()
		e.Done()
	}
	close(drained)
	syncing.Wait()
	if c := s.Stats().Own; next != [writers]int{each, each, each, each} || c != (spool.Counts{Kept: writers * each}) {
		t.Errorf("%v, %+v", next, c)
	}
}

// TestSpool_model does at random what may be done, and compares with a list.
func TestSpool_model(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		root, now := newRoot(t), clock()
		s := open(t, root, spool.Options{Now: now})
		type kept struct {
			body  string
			tried bool
		}
		var model []kept
		for step := range 200 {
			switch r.IntN(10) {
			case 0:
				closeSpool(t, s)
				s = open(t, root, spool.Options{Now: now})
			case 1, 2, 3, 4:
				k := kept{fmt.Sprint(step, strings.Repeat("x", r.IntN(50<<10))), r.IntN(2) == 0}
				if _, err := s.Append(1, []byte(k.body), k.tried); err != nil {
					t.Fatal(err)
				}
				model = append(model, k)
			default:
				e := s.Oldest()
				if (e == nil) != (len(model) == 0) || e != nil && (string(e.Body) != model[0].body || e.Tried != model[0].tried) {
					t.Fatalf("seed %d, step %d: %v, want one of %d", seed, step, e, len(model))
				}
				if e == nil {
					continue
				}
				switch r.IntN(4) {
				case 0:
					e.Try()
					model[0].tried = true
				case 1:
					e.Untry()
					model[0].tried = false
				default:
					e.Done()
					model = model[1:]
				}
			}
			if c := s.Stats(); c.Own.Waiting+c.TakenOver.Waiting != uint64(len(model)) || s.Empty() != (len(model) == 0) {
				t.Fatalf("seed %d, step %d: %+v, want %d", seed, step, c, len(model))
			}
		}
		closeSpool(t, s)
	}
}

// What is in the folder and is no spool's stays, and does not disturb.
func TestSpool_among_other_files(t *testing.T) {
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	appendTo(t, s, "a")
	dir := s.Dir()
	closeSpool(t, s)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	strangers := []string{
		write("notes.txt", "mine"), write("folder/notes.txt", "mine"), write("zz/1.seg", "lensspl2 of another version"), write(".new-x/1.seg", "not there yet"),
	}
	s, said := openLoud(t, root, spool.Options{})
	wantBodies(t, drain(s), "a")
	closeSpool(t, s)
	for _, path := range strangers {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(said.String(), "\n"); n != 1 || !strings.Contains(said.String(), "1.seg") {
		t.Errorf("the log says %s", said)
	}
}

// A file that is gone, or cannot be opened, costs its records and no others.
func TestSpool_file_that_is_gone(t *testing.T) {
	root := newRoot(t)
	now := clock()
	for i := range 2 {
		s := open(t, root, spool.Options{Now: now})
		appendTo(t, s, fmt.Sprint(i))
		closeSpool(t, s)
	}
	s, said := openLoud(t, root, spool.Options{Now: now})
	paths := segments(t, root)
	slices.Sort(paths)
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	wantBodies(t, drain(s), "1")
	if c := s.Stats().TakenOver; c != (spool.Counts{Kept: 2, Damaged: 1}) || !strings.Contains(said.String(), "left to the next process") {
		t.Errorf("%+v, %s", c, said)
	}
}

func TestDefaultRoot(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	for state, want := range map[string]string{
		"": "/home/u/.local/state/nemo-lens/spool", "relative": "/home/u/.local/state/nemo-lens/spool", "/state": "/state/nemo-lens/spool",
	} {
		t.Setenv("XDG_STATE_HOME", state)
		if got, err := spool.DefaultRoot(); err != nil || got != filepath.FromSlash(want) {
			t.Errorf("%q: %s, %v", state, got, err)
		}
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	if got, err := spool.DefaultRoot(); err == nil {
		t.Errorf("without a home: %s", got)
	}
}

func TestOpen_where_it_cannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{file, filepath.Join(file, "below")} {
		if _, err := spool.Open(root, destination, spool.Options{}); err == nil || !strings.Contains(err.Error(), "cannot open the spool") {
			t.Errorf("%s: %v", root, err)
		}
	}
}
