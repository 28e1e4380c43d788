//go:build unix

package runs

import (
	"fmt"
	"sync"
	"testing"

	"github.com/lensgo/lens/viewer/query"
)

// rollouts is a model of n rollouts of fourteen spans, of three environments, a few of which failed.
func rollouts(n int) *Model {
	m := NewModel(Options{})
	for i := range n {
		m.take(oneOf(i)...)
	}
	m.Version()
	return m
}

func oneOf(i int) []Span {
	list := renumber(ours(), uint64(i+1), uint64(100*i), float64(10*i))
	f := *list[0].Facts
	f.Task, f.Index, f.Attempt, f.Reward = i/4, i%4, 0, float64(i%11)/10
	f.Environment = []string{"multi_step", "session_state", "single_tool_call"}[i%3]
	if i%50 == 0 {
		f.Outcome, f.Failure, f.Message, f.Scored = "failed", "timeout", fmt.Sprint("no answer after ", i), false
	}
	list[0].Facts, list[0].Rollout = &f, fmt.Sprintf("%d-%d", i/4, i%4)
	list[0].End += uint64((i * 7919) % 5000 * 1e6)
	return list
}

// BenchmarkLists asks for pages of lists of 10,000 and of 100,000, with nothing else to do and while spans come. Look at the ratio.
func BenchmarkLists(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		m := rollouts(n)
		for _, load := range []string{"idle", "ingesting"} {
			b.Run(fmt.Sprintf("%d/%s", n, load), func(b *testing.B) {
				if load == "ingesting" {
					defer ingest(m, n)()
				}
				lists(b, m)
			})
		}
	}
}

// ingest lets spans come until the function that it returns is called.
func ingest(m *Model, from int) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := from; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			list := oneOf(i)
			for k := range list {
				if i%100 > 0 { // most are of another run, so that this one is as large at the end
					list[k].Process.Run = "other"
				}
			}
			m.take(list...)
			if i%100 == 0 {
				m.Seal()
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func lists(b *testing.B, m *Model) {
	for _, c := range []struct{ name, q, sort string }{
		{"all", "", ""},
		{"sorted", "", "-dur"},
		{"fields", "reward<0.5 env:multi_step dur>2s", "-reward"},
		{"text", "timeout", ""},
		{"text_nowhere", "nowhere", ""},
		{"text_in_all", "get_weather", ""},
		{"text_hex", "00000a", ""},
		{"traces", "", "traces"},
		{"traces_text", "timeout", "traces"},
	} {
		b.Run(c.name, func(b *testing.B) {
			q, err := query.Parse(c.q, query.Options{})
			must(b, err)
			began := cpu()
			for b.Loop() {
				if c.sort == "traces" {
					_, err = m.Traces(q, Page{})
				} else {
					_, err = m.Rollouts("r1", q, Page{Sort: c.sort})
				}
				must(b, err)
			}
			b.ReportMetric(float64((cpu()-began).Microseconds())/float64(b.N)/1000, "cpu-ms/op") // with that of what comes
		})
	}
}
