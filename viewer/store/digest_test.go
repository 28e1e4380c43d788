package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lensgo/lens/viewer/store"
)

// words is a Digest of requests that hold words: field 1 of a message, one a record.
type words struct {
	mu      sync.Mutex
	counts  map[string]int
	current []string
	read    int // requests that were decoded
	lastAdd uint64
	bad     bool // does not know its footers any more
}

func newWords() *words { return &words{counts: map[string]int{}} }

func message(list ...string) []byte {
	var b []byte
	for _, w := range list {
		b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), w)
	}
	return b
}

func wordsOf(b []byte) (list []string) {
	for len(b) > 0 {
		_, _, n := protowire.ConsumeTag(b)
		w, m := protowire.ConsumeBytes(b[n:])
		if n < 0 || m < 0 {
			return list
		}
		list, b = append(list, string(w)), b[n+m:]
	}
	return list
}

func (d *words) Read(req []byte) store.Batch {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read++
	list := wordsOf(req)
	b := store.Batch{Items: len(list), Content: list}
	for _, w := range list {
		b.Keys = append(b.Keys, store.TextKey(w))
	}
	return b
}

func (d *words) Add(b store.Batch, chunk, arrived uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if chunk < d.lastAdd || arrived == 0 {
		panic(fmt.Sprintf("chunk %d after %d, arrived %d", chunk, d.lastAdd, arrived))
	}
	d.lastAdd = chunk
	for _, w := range b.Content.([]string) {
		d.counts[w]++
		d.current = append(d.current, w)
	}
}

func (d *words) Seal() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := []byte(strings.Join(d.current, "\n"))
	d.current = nil
	return b
}

func (d *words) Merge(_ uint64, footer []byte) error { return d.count(footer, 1) }

func (d *words) Forget(_ store.Removed, footer []byte) { _ = d.count(footer, -1) }

func (d *words) count(footer []byte, by int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bad {
		return errors.New("another version")
	}
	for w := range strings.SplitSeq(string(footer), "\n") {
		if d.counts[w] += by; d.counts[w] == 0 {
			delete(d.counts, w)
		}
	}
	return nil
}

// holders returns the words of the chunks that may hold a word.
func holders(tb testing.TB, s *store.Store, word string) (list []string) {
	tb.Helper()
	last := uint64(0)
	for i, c := range s.Holding(store.Logs, store.TextKey(word)) {
		if i > 0 && c.Number <= last {
			tb.Fatalf("chunk %d after %d", c.Number, last)
		}
		last = c.Number
		b, damaged := s.Load(c)
		if damaged {
			tb.Fatalf("chunk %d is damaged", c.Number)
		}
		list = append(list, wordsOf(b)...)
	}
	return list
}

// TestDigest follows a Digest of logs through sealing, a restart and retention, and finds by its keys what is in segments, in what
// waits for its segment, and in the log.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	d := newWords()
	o := store.Options{ChunkBytes: 200, SegmentBytes: 2000, Logs: d}
	s := open(t, dir, o)
	ctx := t.Context()
	const n = 400
	for i := range n {
		if err := s.AddLogs(ctx, message(fmt.Sprint("common ", i%7), fmt.Sprint("rare ", i))); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s *store.Store, d *words) {
		t.Helper()
		if len(d.counts) != n+7 || d.counts["rare 17"] != 1 {
			t.Errorf("the digest has %d words", len(d.counts))
		}
		for _, w := range []string{"rare 0", "rare 17", "rare 399"} {
			got := holders(t, s, w)
			if !slices.Contains(got, w) || len(got) > 40 {
				t.Errorf("%q is held by chunks of %d words", w, len(got))
			}
		}
		if got := holders(t, s, "common 3"); len(got) < n {
			t.Errorf("what is everywhere is held by chunks of %d words", len(got))
		}
		if got := holders(t, s, "never"); len(got) != 0 {
			t.Errorf("what is nowhere is held by %q", got)
		}
		if st := s.Stats(); st.Kinds[store.Logs].Spans != 2*n || st.RemovedSpans != 0 {
			t.Errorf("%d records are counted, want %d", st.Kinds[store.Logs].Spans, 2*n)
		}
	}
	check(s, d)
	closeStore(t, s)
	check(s, d)

	again := newWords()
	o.Logs = again
	s = open(t, dir, o)
	check(s, again)
	if again.read != 0 {
		t.Errorf("a restart decoded %d chunks", again.read)
	}
	closeStore(t, s)

	stale := newWords()
	stale.bad = true
	o.Logs = stale
	s = open(t, dir, o)
	check(s, stale)
	closeStore(t, s)

	o.Logs, o.MaxBytes = newWords(), 4000
	s = open(t, dir, o)
	changes, end := s.Subscribe()
	if err := s.AddLogs(ctx, message("last")); err != nil {
		t.Fatal(err)
	}
	for c := range changes {
		if c.Removed > 0 {
			break
		}
	}
	end()
	closeStore(t, s)
	left := map[string]int{}
	if err := s.Each(ctx, store.Logs, func(b []byte) error {
		for _, w := range wordsOf(b) {
			left[w]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := o.Logs.(*words).counts; len(got) != len(left) || len(got) >= n || got["last"] != 1 {
		t.Errorf("after retention the digest has %d words, %d are stored", len(got), len(left))
	}
}

// TestDigestAfterKill opens the folder of a process that was killed: what was in no segment is read again.
func TestDigestAfterKill(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{Logs: newWords()})
	for i := range 20 {
		if err := s.AddLogs(t.Context(), message(fmt.Sprint("word ", i))); err != nil {
			t.Fatal(err)
		}
	}
	killed := t.TempDir() // the files as they are now
	for _, path := range files(t, dir, "*.zst") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(killed, filepath.Base(path)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := newWords()
	s = open(t, killed, store.Options{Logs: d})
	if len(d.counts) != 20 || !slices.Contains(holders(t, s, "word 7"), "word 7") {
		t.Errorf("the digest has %d words", len(d.counts))
	}
}

// TestWithoutDigest finds nothing by key in chunks that no Digest saw, and so has to offer all of them.
func TestWithoutDigest(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	if err := s.AddLogs(t.Context(), message("old")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, dir, store.Options{Logs: newWords()})
	if err := s.AddLogs(t.Context(), message("new")); err != nil {
		t.Fatal(err)
	}
	if got := holders(t, s, "new"); !slices.Equal(got, []string{"old", "new"}) {
		t.Errorf("the chunks hold %q", got)
	}
	if got := holders(t, s, "old"); !slices.Equal(got, []string{"old"}) {
		t.Errorf("the chunks hold %q", got)
	}
}
