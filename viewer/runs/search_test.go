package runs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer/query"
)

// TestSearch: what is remembered of the rows before does not change what is found, with several words, some of them in ids.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	m := NewModel(Options{})
	m.take(mix(rng)...)
	s := m.now()
	words := []string{"verify", "GET", "cart", "flask", "timeout", "multi", "agent", "0a", "A0", "000000", "nowhere", "-verify", "-0b", "gym.rollout", "server", "env:multi_step", "spans>3"}
	hits := 0
	for range 300 {
		text := strings.Join(shuffled(rng, words)[:1+rng.IntN(3)], " ")
		q := parse(t, text, query.Rollouts)
		for _, r := range s.runs {
			var got, want []string
			r.matching(q, func(x *Rollout) { got = append(got, x.Trace.String()+x.ID) })
			r.each(func(x *Rollout) {
				one := r.record(q) // that has seen no other
				if one.look(x); q.Match(one) {
					want = append(want, x.Trace.String()+x.ID)
				}
			})
			hits += len(got)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q finds %v, want %v", text, got, want)
			}
		}
		q = parse(t, text, query.Traces)
		list, err := m.Traces(q, Page{Size: 1000})
		must(t, err)
		n := 0
		s.traces.all(func(_ int, r *traceRow) bool {
			one := s.traceRecord(q)
			if one.look(r); r.spans > 0 && q.Match(one) {
				n++
			}
			return true
		})
		if len(list.Rows) != n {
			t.Fatalf("%q finds %d traces, want %d", text, len(list.Rows), n)
		}
	}
	if hits == 0 {
		t.Error("nothing was found at all")
	}
}
