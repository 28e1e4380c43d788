package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/viewer/store"
)

// disk is a disk that fails when it is told to.
type disk struct {
	mu     sync.Mutex
	full   func(path string) bool // writes take half and fail
	stuck  chan struct{}          // segments wait for it
	synced map[string]int
	sync   error
	cut    error
}

var errDisk = errors.New("disk says no")

func (d *disk) open(t *testing.T, dir string, o store.Options) *store.Store {
	t.Helper()
	d.synced = map[string]int{}
	s, err := store.OpenWith(dir, o, func(path string, open func(string) (store.File, error)) (store.File, error) {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		return &diskFile{f, d, path}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (d *disk) set(fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn()
}

type diskFile struct {
	store.File
	d    *disk
	path string
}

func (f *diskFile) Write(b []byte) (int, error) {
	f.d.mu.Lock()
	full, stuck := f.d.full, f.d.stuck
	f.d.mu.Unlock()
	if stuck != nil && !strings.HasSuffix(f.path, ".open.zst") {
		<-stuck
	}
	if full != nil && full(f.path) {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, errDisk
	}
	return f.File.Write(b)
}

func (f *diskFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.cut != nil {
		return f.d.cut
	}
	return f.File.Truncate(size)
}

func (f *diskFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.sync != nil {
		return f.d.sync
	}
	f.d.synced[filepath.Base(f.path)]++
	return f.File.Sync()
}

// TestFullDisk fails writes of the log: the sender hears it, nothing is half there, and it goes on when there is room.
func TestFullDisk(t *testing.T) {
	for _, cut := range []error{nil, errDisk} {
		t.Run(fmt.Sprint("cut ", cut), func(t *testing.T) {
			dir, sum := t.TempDir(), newTally()
			var d disk
			s := d.open(t, dir, store.Options{Summary: sum})
			one := func(i uint64) []byte { return request(t, sp{trace: i, id: i, name: "a"}) }
			d.set(func() { d.full, d.cut = func(string) bool { return true }, cut })
			for range 2 {
				if _, err := s.AddTraces(t.Context(), one(1)); !errors.Is(err, errDisk) {
					t.Fatalf("full disk: %v", err)
				}
			}
			if _, err := s.Trace(traceID(1)); !errors.Is(err, store.ErrNotFound) || sum.added != 0 {
				t.Errorf("refused spans are there: %v", err)
			}
			d.set(func() { d.full, d.cut = nil, nil })
			add(t, s, one(2))
			trace(t, s, 2)
			closeStore(t, s)
			r := openReadOnly(t, dir, store.Options{})
			if got := all(t, r); len(got) != 1 || r.Stats().Damaged != 0 {
				t.Errorf("%d spans, %+v", len(got), r.Stats())
			}
		})
	}
}

// TestSealFails fails writes of segments only: nothing is lost, it is said once, and made up for.
func TestSealFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		logger, text := logged()
		var d disk
		s := d.open(t, dir, store.Options{ChunkBytes: 1, Logger: logger})
		defer closeStore(t, s)
		d.set(func() { d.full = func(path string) bool { return !strings.HasSuffix(path, ".open.zst") } })
		for i := range uint64(5) {
			add(t, s, request(t, sp{trace: i, id: 1, name: "a"}))
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if n := strings.Count(text.String(), "cannot seal chunk"); n != 1 {
			t.Errorf("said %d times: %s", n, text)
		}
		if got := all(t, s); len(got) != 5 {
			t.Errorf("%d spans", len(got))
		}
		d.set(func() { d.full = nil })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := s.Stats().Kinds[store.Traces].Segments; n != 1 {
			t.Errorf("%d segments", n)
		}
		if got := all(t, s); len(got) != 5 {
			t.Errorf("%d spans", len(got))
		}
		for i := range uint64(5) {
			trace(t, s, i)
		}
	})
}

// TestSync sees that files are synced a second after a change at the latest, and not when nothing changed.
func TestSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var d disk
		s := d.open(t, dir, store.Options{ChunkBytes: 1000})
		defer closeStore(t, s)
		syncs := func() (n int) {
			d.set(func() {
				for _, c := range d.synced {
					n += c
				}
			})
			return n
		}
		add(t, s, request(t, sp{trace: 1, id: 1, name: "a"}))
		synctest.Wait()
		if n := syncs(); n != 0 {
			t.Errorf("%d syncs at once", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := syncs(); n != 1 {
			t.Errorf("%d syncs after a second, want 1", n)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := syncs(); n != 1 {
			t.Errorf("%d syncs after a minute of nothing, want 1", n)
		}
		for i := range uint64(30) {
			add(t, s, request(t, sp{trace: 1, id: i, name: "a"}))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := syncs(); n < 3 {
			t.Errorf("%d syncs of log and segment, want 3", n)
		}
	})
}

// TestSyncFails keeps logs while their segment is not safe.
func TestSyncFails(t *testing.T) {
	dir := t.TempDir()
	logger, text := logged()
	var d disk
	s := d.open(t, dir, store.Options{ChunkBytes: 1, Logger: logger})
	d.set(func() { d.sync = errDisk })
	for i := range uint64(5) {
		add(t, s, request(t, sp{trace: i, id: 1, name: "a"}))
	}
	closeStore(t, s)
	if len(files(t, dir, "traces-*.open.zst")) == 0 {
		t.Error("the log is gone though its segment was not synced")
	}
	if !strings.Contains(text.String(), errDisk.Error()) {
		t.Errorf("nothing was said: %s", text)
	}
	if got := all(t, open(t, dir, store.Options{})); len(got) != 5 {
		t.Errorf("%d spans after the next start", len(got))
	}
}

// TestSlowDisk makes senders wait when sealing is far behind, and only as long as they want to.
func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d disk
		s := d.open(t, t.TempDir(), store.Options{ChunkBytes: 1})
		defer closeStore(t, s)
		stuck := make(chan struct{})
		d.set(func() { d.stuck = stuck })
		for i := range uint64(store.MaxPending + 1) {
			add(t, s, request(t, sp{trace: i, id: 1, name: "a"}))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.AddTraces(ctx, request(t, sp{trace: 1, id: 2, name: "a"})); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with sealing stuck: %v", err)
		}
		done := make(chan struct{})
		go func() {
			add(t, s, request(t, sp{trace: 1, id: 3, name: "a"}))
			close(done)
		}()
		synctest.Wait()
		trace(t, s, 1) // readers do not wait
		if n := s.Stats().Kinds[store.Traces].Chunks; n != store.MaxPending+1 {
			t.Errorf("%d chunks, want %d", n, store.MaxPending+1)
		}
		d.set(func() { d.stuck = nil })
		close(stuck)
		<-done
	})
}

// TestModes sees that nobody else can read the folder.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir, store.Options{ChunkBytes: 1})
	for i := range uint64(3) {
		add(t, s, request(t, sp{trace: i, id: 1, name: "a"}))
	}
	if err := s.SetAddress("x"); err != nil {
		t.Fatal(err)
	}
	check := func(path string, want os.FileMode) {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
	}
	check(dir, 0o700)
	for _, path := range files(t, dir, "*") {
		check(path, 0o600)
	}
	closeStore(t, s)
	for _, path := range files(t, dir, "*") {
		check(path, 0o600)
	}

	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	closeStore(t, open(t, dir, store.Options{}))
	check(dir, 0o700)

	shared := t.TempDir()
	if err := os.WriteFile(filepath.Join(shared, "other"), nil, 0o644); err != nil { //nolint:gosec // somebody's file
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o755); err != nil { //nolint:gosec // somebody's folder
		t.Fatal(err)
	}
	closeStore(t, open(t, shared, store.Options{}))
	check(shared, 0o755)
}

// TestConcurrent has everything at once, for the race detector: writers of all kinds, readers, retention, subscribers.
func TestConcurrent(t *testing.T) {
	sum := newTally()
	s := open(t, t.TempDir(), store.Options{ChunkBytes: 2000, SegmentBytes: 6000, MaxBytes: 60_000, MemoryBytes: 4000, Summary: sum, SyncEvery: time.Millisecond})
	const writers, each = 4, 300
	var writing, reading sync.WaitGroup
	var done atomic.Bool
	var newest atomic.Uint64
	for w := range uint64(writers) {
		writing.Go(func() {
			for i := range uint64(each) {
				id := w*each + i
				add(t, s, request(t, sp{trace: id, id: 1, name: "a", start: 1, end: 2}, sp{trace: id, id: 2, parent: 1, name: "b", start: 1, end: 2}))
				newest.Store(id)
				if err := s.AddLogs(t.Context(), []byte("\x0a\x01x")); err != nil {
					t.Error(err)
				}
				if err := s.AddMetrics(t.Context(), []byte("\x0a\x01x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		reading.Go(func() {
			for !done.Load() {
				tr, err := s.Trace(traceID(newest.Load()))
				if err == nil && (len(tr.Spans) != 2 || tr.Damaged != 0) || err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Errorf("trace: %d spans, %v", len(tr.Spans), err)
				}
				s.Stats()
			}
		})
	}
	reading.Go(func() {
		for !done.Load() {
			if err := s.Each(t.Context(), store.Traces, func([]byte) error { return nil }); err != nil {
				t.Error(err)
			}
		}
	})
	changes, cancel := s.Subscribe()
	reading.Go(func() {
		var last store.Change
		for c := range changes {
			if c.Traces < last.Traces || c.Logs < last.Logs || c.Spans < last.Spans {
				t.Errorf("change %+v after %+v", c, last)
			}
			last = c
		}
	})
	writing.Wait()
	done.Store(true)
	cancel()
	cancel()
	reading.Wait()
	closeStore(t, s)
	st := s.Stats()
	if st.Damaged != 0 || st.RemovedSpans == 0 || st.Kinds[store.Traces].Spans+st.RemovedSpans != 2*writers*each || sum.conflict {
		t.Errorf("%+v, conflict %v", st, sum.conflict)
	}
}

func TestSubscribe(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	changes, cancel := s.Subscribe()
	for i := range uint64(3) {
		add(t, s, request(t, sp{trace: 1, id: i, name: "a"}, sp{trace: 1, id: i + 10, name: "a"}))
	}
	if err := s.AddLogs(t.Context(), []byte("\x0a\x01x")); err != nil {
		t.Fatal(err)
	}
	if c := <-changes; c != (store.Change{Traces: 3, Spans: 6, Logs: 1}) {
		t.Errorf("newest change is %+v", c)
	}
	cancel()
	if _, ok := <-changes; ok {
		t.Error("channel is open after cancel")
	}
	other, _ := s.Subscribe()
	closeStore(t, s)
	if _, ok := <-other; ok {
		t.Error("channel is open after Close")
	}
	late, cancel := s.Subscribe()
	defer cancel()
	if _, ok := <-late; ok {
		t.Error("a closed store gives an open channel")
	}
}
