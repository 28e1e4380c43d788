package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// counter is a Summary that counts the spans that it is given.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Add(*otlp.Resource, *otlp.Scope, *otlp.Span, store.Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}
func (c *counter) Seal() []byte                 { return []byte{1} }
func (c *counter) Merge([]byte) error           { return nil }
func (c *counter) Forget(store.Removed, []byte) {}

// TestRepeats: a request that comes again is acknowledged and counted, and neither kept nor summed again.
func TestRepeats(t *testing.T) {
	dir, sum := t.TempDir(), &counter{}
	s := open(t, dir, store.Options{Summary: sum})
	req := request(t, sp{trace: 1, id: 1, name: "a", start: 5, end: 6}, sp{trace: 1, id: 2, name: "b", start: 5, end: 6})
	if got, err := s.AddTraces(t.Context(), req); err != nil || got.Spans != 2 || got.Repeated != 0 {
		t.Fatalf("the first: %+v, %v", got, err)
	}
	again := func(s *store.Store, when string) {
		t.Helper()
		if got, err := s.AddTraces(t.Context(), req); err != nil || got.Spans != 0 || got.Repeated != 2 {
			t.Errorf("%s: %+v, %v", when, got, err)
		}
	}
	for range 3 {
		again(s, "again")
	}
	st := s.Stats()
	if k := st.Kinds[store.Traces]; st.Repeated != 3 || k.Repeated != 6 || k.Spans != 2 || k.Requests != 1 || st.Taken != 1 || sum.n != 2 {
		t.Errorf("%+v; the summary has %d spans", st, sum.n)
	}
	if tr := trace(t, s, 1); tr.Copies != 0 || len(tr.Spans) != 2 {
		t.Errorf("%d spans, %d copies", len(tr.Spans), tr.Copies)
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
	again(open(t, killed, store.Options{}), "after a kill")

	closeStore(t, s)
	s = open(t, dir, store.Options{})
	again(s, "after a restart")
	closeStore(t, s)
	again(open(t, dir, store.Options{}), "after another restart")
}

// TestRepeatsAtOnce: of many copies that come at the same time one is kept.
func TestRepeatsAtOnce(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	req := request(t, sp{trace: 1, id: 1, name: "a", start: 5, end: 6})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := s.AddTraces(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if st := s.Stats(); st.Repeated != 15 || st.Kinds[store.Traces].Spans != 1 {
		t.Errorf("%+v", st)
	}
}

// TestRepeatsWithoutTime: what has no time may happen twice.
func TestRepeatsWithoutTime(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	for range 2 {
		if got, err := s.AddTraces(t.Context(), request(t, sp{trace: 1, id: 1, name: "a"})); err != nil || got.Spans != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		if err := s.AddLogs(t.Context(), message("once more")); err != nil {
			t.Error(err)
		}
	}
	if st := s.Stats(); st.Repeated != 0 || st.Taken != 4 {
		t.Errorf("%+v", st)
	}
}

// TestRepeatsFail: a request that could not be kept is taken when it comes again.
func TestRepeatsFail(t *testing.T) {
	full := true
	s, err := store.OpenWith(t.TempDir(), store.Options{}, func(path string, create func(string) (store.File, error)) (store.File, error) {
		if full {
			return nil, fmt.Errorf("no space")
		}
		return create(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	req := request(t, sp{trace: 1, id: 1, name: "a", start: 5, end: 6})
	if _, err := s.AddTraces(t.Context(), req); err == nil {
		t.Fatal("it was taken")
	}
	full = false
	if got, err := s.AddTraces(t.Context(), req); err != nil || got.Spans != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRepeatsBound: the oldest are forgotten.
func TestRepeatsBound(t *testing.T) {
	var r store.Repeats
	for i := range uint64(store.MaxRepeats + 10) {
		r.Add(i + 1)
		r.Add(i + 1)
	}
	if r.Holds(10) || !r.Holds(11) || !r.Holds(store.MaxRepeats+10) {
		t.Error("other requests are known than the newest")
	}
}

// TestSumOf: requests that differ anywhere have different sums, and a sum stays what it is over versions.
func TestSumOf(t *testing.T) {
	seen := map[uint64]string{}
	for n := range 70 {
		b := make([]byte, n)
		for bit := -1; bit < 8*n; bit++ {
			if bit >= 0 {
				b[bit/8] ^= 1 << (bit % 8)
			}
			sum := store.SumOf(b)
			if was, ok := seen[sum]; ok {
				t.Fatalf("%x has the sum of %x", b, was)
			}
			seen[sum] = string(b)
			if bit >= 0 {
				b[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
	if sum := store.SumOf([]byte("a request")); sum != 0xd227e81f83048fd6 {
		t.Errorf("the sum is %#x", sum)
	}
}
