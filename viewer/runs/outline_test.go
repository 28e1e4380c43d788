package runs

import (
	"math/rand/v2"
	"testing"

	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

// TestOutline: an outline says what the row of the run says, also when rollouts came and went.
func TestOutline(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		m := NewModel(Options{})
		m.SetProgress("soon", &Progress{Total: 4})
		var footers [][]byte
		for list := shuffled(rng, mix(rng)); len(list) > 0; {
			n := min(1+rng.IntN(40), len(list))
			m.take(list[:n]...)
			list = list[n:]
			footers = append(footers, m.Seal())
			checkOutlines(t, m)
		}
		for _, f := range footers[:len(footers)/2] {
			m.Forget(store.Removed{}, f)
			checkOutlines(t, m)
		}
	}
	m := NewModel(Options{})
	if _, ok := m.Outline("never"); ok {
		t.Error("a run that never was has an outline")
	}
}

func checkOutlines(t *testing.T, m *Model) {
	t.Helper()
	list, err := m.Runs(query.Query{}, Page{})
	must(t, err)
	all := m.Outlines()
	if len(all) != len(list.Rows) {
		t.Fatalf("%d outlines of %d runs", len(all), len(list.Rows))
	}
	for i, r := range list.Rows {
		if all[i].ID != r.ID {
			t.Errorf("%q stands where %q should", all[i].ID, r.ID)
		}
		o, ok := m.Outline(r.ID)
		want := Outline{r.ID, r.Started, r.Last, r.JobEnded, r.Progress, r.Spans, r.Counts.Rollouts, r.Counts.Running, r.Tasks, r.Attempts}
		if !ok || o != want || o.GoesOn() != r.Running() || o.Finished() != r.Counts.Finished {
			t.Fatalf("%q: %+v, %v; want %+v", r.ID, o, ok, want)
		}
		tasks := map[taskKey]bool{}
		most := 0
		m.now().byID[r.ID].each(func(x *Rollout) {
			if most = max(most, x.Attempt); x.Task >= 0 {
				tasks[taskKey{x.Environment, x.Task}] = true
			}
			if found, _ := m.Rollout(r.ID, x.Environment, x.Task, x.Attempt, x.Retry); found == nil || found.Attempt != x.Attempt || !found.isOf(x.Environment, x.Task) {
				t.Errorf("%s is found as %+v", x.ID, found)
			}
		})
		if len(tasks) != r.Tasks || most != r.Attempts {
			t.Fatalf("%q: %d tasks, %d attempts; counted %d and %d", r.ID, r.Tasks, r.Attempts, len(tasks), most)
		}
		if row, ok := m.RunRow(r.ID); !ok || row.ID != r.ID || row.Counts != r.Counts {
			t.Errorf("row %+v", row)
		}
	}
}
