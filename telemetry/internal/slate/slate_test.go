//go:build linux || darwin

package slate_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lensgo/lens/telemetry/internal/slate"
)

const most = 4 << 20

func create(t *testing.T, dir string) *slate.Slate {
	t.Helper()
	s, err := slate.Create(dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, p *slate.Part, state slate.State, body string) slate.Slot {
	t.Helper()
	p.Lock()
	defer p.Unlock()
	slot, err := p.Put(state, 7, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return slot
}

func wipe(p *slate.Part, slot slate.Slot) {
	p.Lock()
	defer p.Unlock()
	p.Wipe(slot)
}

// bodies are the notes in a folder, sorted, each with its state.
func bodies(t *testing.T, dir string) (list []string) {
	t.Helper()
	c, err := slate.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.Damaged > 0 {
		t.Errorf("%d are damaged", c.Damaged)
	}
	for _, n := range c.Notes {
		list = append(list, fmt.Sprintf("%x %s", n.State, n.Body))
		if n.Origin != 7 {
			t.Errorf("the origin of %s is %d", n.Body, n.Origin)
		}
	}
	slices.Sort(list)
	return list
}

func want(t *testing.T, dir string, list ...string) {
	t.Helper()
	if got := bodies(t, dir); !slices.Equal(got, list) {
		t.Errorf("got %.200q, want %.200q", got, list)
	}
}

func TestSlate(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	want(t, dir)
	p := s.Part(3)
	first := put(t, p, slate.Open, "first")
	put(t, s.Part(4), slate.Ended, "second")
	put(t, p, slate.Shared, "")
	want(t, dir, "33 second", "6a ", "f first")
	p.Lock()
	p.Mark(first, slate.Sending)
	if !p.Same(first, []byte("first")) || p.Same(first, []byte("firsT")) || p.Same(first, []byte("firs")) {
		t.Error("Same is wrong")
	}
	p.Unlock()
	want(t, dir, "33 second", "55 first", "6a ")
	wipe(p, first)
	want(t, dir, "33 second", "6a ")
	put(t, p, slate.Open, "1st") // in the same place
	want(t, dir, "33 second", "6a ", "f 1st")
}

// A note that is written anew has the greater order, in whichever place.
func TestSlate_order(t *testing.T) {
	dir := t.TempDir()
	p := create(t, dir).Part(0)
	early := put(t, p, slate.Open, "0")
	put(t, p, slate.Open, "1")
	wipe(p, early)
	put(t, p, slate.Open, "2")
	c, err := slate.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(c.Notes, func(a, b slate.Note) int { return int(a.Order) - int(b.Order) })
	if len(c.Notes) != 2 || string(c.Notes[0].Body) != "1" || string(c.Notes[1].Body) != "2" {
		t.Errorf("%+v", c.Notes)
	}
}

// Notes of all sizes come back as they were.
func TestSlate_sizes(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	p := s.Part(0)
	var all []string
	for _, n := range []int{0, 1, 223, 224, 225, 480, 481, 1000, 5000, 40_000, 65_447, 65_448, 65_449, 200_000, slate.MostBody} {
		body := strings.Repeat("x", n)
		put(t, p, slate.Open, body)
		all = append(all, "f "+body)
	}
	slices.Sort(all)
	want(t, dir, all...)
	p.Lock()
	defer p.Unlock()
	if _, err := p.Put(slate.Open, 7, make([]byte, slate.MostBody+1)); !errors.Is(err, slate.ErrLarge) {
		t.Errorf("one that is too large: %v", err)
	}
}

// The files grow with the notes that there are at once, and no further than they may.
func TestSlate_is_bounded(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	p := s.Part(0)
	for range 100_000 {
		wipe(p, put(t, p, slate.Open, "a note that comes and goes"))
	}
	if n := size(t, dir, "slate"); n != 1<<20 {
		t.Errorf("the file has %d bytes", n)
	}
	put(t, p, slate.Open, "first")
	var last slate.Slot
	written := 1
	p.Lock()
	for ; ; written++ {
		slot, err := p.Put(slate.Open, 7, nil)
		if errors.Is(err, slate.ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		last = slot
	}
	p.Unlock()
	if n := size(t, dir, "slate"); n != most || len(bodies(t, dir)) != written {
		t.Errorf("the full file has %d bytes and %d notes of %d", n, len(bodies(t, dir)), written)
	}
	wipe(p, last)
	put(t, p, slate.Open, "there is room again")
}

func size(t *testing.T, dir, name string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Parts may be used at the same time, and so may Sync.
func TestSlate_concurrently(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	var writers sync.WaitGroup
	for i := range slate.Parts {
		writers.Go(func() {
			p := s.Part(i)
			for n := range 500 {
				slot := put(t, p, slate.Open, fmt.Sprint(i, n))
				if n%10 > 0 {
					wipe(p, slot)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s.Beat(time.Now())
		if err := s.Sync(func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(bodies(t, dir)); n != slate.Parts*50 {
		t.Errorf("%d notes", n)
	}
	now, err := os.ReadFile(filepath.Join(dir, "slate"))
	if err != nil {
		t.Fatal(err)
	}
	synced, err := os.ReadFile(filepath.Join(dir, "slate.sync"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now[64:len(synced)], synced[64:]) { // the first unit begins with when we were alive
		t.Error("the copy differs")
	}
}

// The copy on the disk is written when the caller has written what it must come after.
func TestSync_order(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	calls := 0
	before := func() error {
		if calls++; calls == 1 {
			if _, err := os.Stat(filepath.Join(dir, "slate.sync")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the copy was written before: %v", err)
			}
		}
		return nil
	}
	sync := func() {
		t.Helper()
		if err := s.Sync(before); err != nil {
			t.Fatal(err)
		}
	}
	sync()
	put(t, s.Part(0), slate.Open, "x")
	for range 3 {
		sync()
	}
	if calls != 1 {
		t.Errorf("%d times something was to be written", calls)
	}
	failing := errors.New("no")
	put(t, s.Part(1), slate.Open, "y")
	if err := s.Sync(func() error { return failing }); !errors.Is(err, failing) {
		t.Error(err)
	}
	if sync(); calls != 2 {
		t.Error("what could not be written is forgotten")
	}
}

// A process that closes its slate leaves only what is not wiped.
func TestClose(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	p := s.Part(0)
	put(t, p, slate.Shared, "an origin")
	slot := put(t, p, slate.Open, "x")
	if err := s.Sync(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	wipe(p, slot)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if slate.Exists(dir) {
		t.Error("files are left")
	}
	p.Lock()
	_, err := p.Put(slate.Open, 0, nil)
	p.Wipe(slot)
	p.Mark(slot, slate.Open)
	p.Unlock()
	s.Beat(time.Now())
	if sync := s.Sync(func() error { return nil }); !errors.Is(err, slate.ErrClosed) || sync != nil || s.Close() != nil {
		t.Errorf("after Close: %v, %v", err, sync)
	}

	s = create(t, dir)
	put(t, s.Part(0), slate.Open, "y")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want(t, dir, "f y")
	if err := slate.Remove(dir); err != nil || slate.Exists(dir) {
		t.Errorf("Remove: %v", err)
	}
	if _, err := slate.Load(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of nothing: %v", err)
	}
}

// A file that somebody cuts off, or a disk that breaks its promise, ends the slate and not the program.
func TestSlate_cut_off(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	p := s.Part(0)
	slot := put(t, p, slate.Open, "x")
	if err := os.Truncate(filepath.Join(dir, "slate"), 0); err != nil {
		t.Fatal(err)
	}
	p.Lock()
	defer p.Unlock()
	if _, err := p.Put(slate.Open, 0, []byte("y")); !errors.Is(err, slate.ErrLost) {
		t.Errorf("Put: %v", err)
	}
	p.Wipe(slot)
	s.Beat(time.Now())
	if err := s.Sync(func() error { return nil }); !errors.Is(err, slate.ErrLost) {
		t.Errorf("Sync: %v", err)
	}
}

// A file that somebody deletes is still mapped, but nobody would find what is in it.
func TestSlate_deleted(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	p := s.Part(0)
	put(t, p, slate.Open, "x")
	s.Beat(time.Now())
	if err := os.Remove(filepath.Join(dir, "slate")); err != nil {
		t.Fatal(err)
	}
	s.Beat(time.Now())
	if err := s.Sync(func() error { return nil }); !errors.Is(err, slate.ErrLost) {
		t.Errorf("Sync: %v", err)
	}
	p.Lock()
	defer p.Unlock()
	if _, err := p.Put(slate.Open, 0, []byte("y")); !errors.Is(err, slate.ErrLost) {
		t.Errorf("Put: %v", err)
	}
}

// A file that somebody writes into costs what is in it, and not the program.
func TestSlate_overwritten(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	p := s.Part(0)
	slot := put(t, p, slate.Open, "x")
	f, err := os.OpenFile(filepath.Join(dir, "slate"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	long := make([]byte, 0x01010101) // which every four bytes below say
	if _, err := f.WriteAt(bytes.Repeat([]byte{1}, 64<<10), 0); err != nil {
		t.Fatal(err)
	}
	p.Lock()
	defer p.Unlock()
	if p.Same(slot, []byte("x")) || p.Same(slot, long) {
		t.Error("it is as before")
	}
}

func TestSlate_is_private(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	put(t, s.Part(0), slate.Open, "x")
	if err := s.Sync(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"slate", "slate.sync"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := slate.Create(dir, most); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second one in the folder: %v", err)
	}
}

// A note costs no memory.
func TestPut_allocations(t *testing.T) {
	p := create(t, t.TempDir()).Part(0)
	body := make([]byte, 300)
	p.Lock()
	defer p.Unlock()
	n := testing.AllocsPerRun(1000, func() {
		slot, err := p.Put(slate.Open, 1, body)
		if err != nil {
			t.Fatal(err)
		}
		p.Mark(slot, slate.Sending)
		p.Wipe(slot)
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPut(b *testing.B) {
	s, err := slate.Create(b.TempDir(), most)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	p := s.Part(0)
	body := make([]byte, 300)
	b.ReportAllocs()
	for b.Loop() {
		p.Lock()
		slot, err := p.Put(slate.Open, 1, body)
		if err != nil {
			b.Fatal(err)
		}
		p.Wipe(slot)
		p.Unlock()
	}
}
