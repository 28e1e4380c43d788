package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/lensgo/lens/viewer/store"
)

// ahead is a Summary that is a Preparer. A footer is a word; they are kept in the order in which they were merged.
type ahead struct {
	counter
	mu       sync.Mutex
	sealed   int
	merged   []string
	prepared int
	refuse   bool
}

func (a *ahead) Seal() []byte {
	a.sealed++
	return bytes.Repeat(fmt.Appendf(nil, "footer %04d ", a.sealed), 20) // worth packing
}

func (a *ahead) Merge(footer []byte) error {
	a.merged = append(a.merged, string(footer[:12]))
	return nil
}

func (a *ahead) Prepare(footers iter.Seq[[]byte]) (merge func(), err error) {
	if a.refuse {
		return nil, errors.New("not these")
	}
	var list []string
	for f := range footers {
		list = append(list, string(f[:12]))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prepared++
	return func() { a.merged = append(a.merged, list...) }, nil
}

// TestPrepare: the footers of segments are read ahead, several segments at a time, and merged in order; where the Summary does not want
// that, they are merged one by one.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	first := &ahead{}
	s := open(t, dir, store.Options{Summary: first, ChunkBytes: 300, SegmentBytes: 2000})
	for i := range uint64(200) {
		add(t, s, request(t, sp{trace: i + 1, id: 1, name: fmt.Sprint("span ", i), start: i + 1, end: i + 2}))
	}
	closeStore(t, s)
	if first.sealed < 20 {
		t.Fatalf("%d chunks", first.sealed)
	}
	for _, refuse := range []bool{false, true} {
		again := &ahead{refuse: refuse}
		s := openReadOnly(t, dir, store.Options{Summary: again})
		segments := s.Stats().Kinds[store.Traces].Segments
		if want := segments; !refuse && again.prepared != want || refuse && again.prepared != 0 || segments < 3 {
			t.Errorf("refuse %v: %d of %d segments were read ahead", refuse, again.prepared, segments)
		}
		if len(again.merged) != first.sealed || again.n != 0 {
			t.Fatalf("refuse %v: %d footers of %d were merged, %d spans read", refuse, len(again.merged), first.sealed, again.n)
		}
		for i, f := range again.merged {
			if f != fmt.Sprintf("footer %04d ", i+1) {
				t.Fatalf("refuse %v: footer %d is %q", refuse, i, f)
			}
		}
	}
}
