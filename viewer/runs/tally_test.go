package runs

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// TestPrepare: footers that are read apart from the model, several lots at a time, come to the same as one after the other.
func TestPrepare(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 20 {
		live := NewModel(Options{})
		footers := fill(live, rng, shuffled(rng, mix(rng)))
		want := dump(t, live)

		m := NewModel(Options{})
		lots := slices.Collect(slices.Chunk(footers, 1+rng.IntN(5)))
		merges := make([]func(), len(lots))
		var wg sync.WaitGroup
		for i, lot := range lots {
			wg.Go(func() {
				buf := []byte{}
				var err error
				merges[i], err = m.Prepare(func(yield func([]byte) bool) {
					for _, f := range lot {
						buf = append(buf[:0], f...) // valid until the next
						if !yield(buf) {
							return
						}
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if x := m.Totals(); x != (Totals{}) {
			t.Fatalf("something was merged before its turn: %+v", x)
		}
		for _, merge := range merges {
			merge()
		}
		equal(t, "prepared", dump(t, m), want)
		if m.Partial() != 0 {
			t.Errorf("%d traces wait", m.Partial())
		}
	}
	footer := NewModel(Options{}).sealed(ours()...)
	if merge, err := NewModel(Options{}).Prepare(slices.Values([][]byte{footer, footer[:len(footer)-1]})); err == nil || merge != nil {
		t.Errorf("a footer that is cut off is taken: %v", err)
	}
}

// sealed takes spans and seals.
func (m *Model) sealed(spans ...Span) []byte {
	m.take(spans...)
	return m.Seal()
}

// TestSealLater: a rollout in the middle of it is left out of footers when there are many of them, so a process that is killed then has
// it to heal; one that settles has not.
func TestSealLater(t *testing.T) {
	for _, settle := range []bool{false, true} {
		m := NewModel(Options{})
		m.room = 0
		m.roomAt = m.roomAt.AddDate(3000, 0, 0) // no time passes
		spans := ours()
		footers := [][]byte{m.sealed(spans[2:]...)}
		if settle {
			m.Settle()
			footers = append(footers, m.Seal())
		}
		again := NewModel(Options{})
		for _, f := range footers {
			must(t, again.Merge(f))
		}
		want := 1
		if settle {
			want = 0
			equal(t, "settled", dumpCopies(t, again), dumpCopies(t, m))
		}
		if again.Partial() != want {
			t.Errorf("settled %v: %d traces wait to be healed, want %d", settle, again.Partial(), want)
		}
		footers = append(footers, m.sealed(spans[:2]...), m.Seal()) // it ends, and is quiet for a chunk
		m.Settle()
		if f := m.Seal(); f != nil {
			footers = append(footers, f)
		}
		again = NewModel(Options{})
		for _, f := range footers {
			must(t, again.Merge(f))
		}
		equal(t, "ended", dump(t, again), dump(t, m))
		if again.Partial() != 0 {
			t.Errorf("settled %v: %d traces wait after all has come", settle, again.Partial())
		}
	}
}
