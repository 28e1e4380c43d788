package runs

import (
	"testing"

	"github.com/lensgo/lens/viewer/query"
)

// A resumed run under the same name has the rollouts of the earlier driver too: its total is of both.
func TestModel_SetProgress_resumed(t *testing.T) {
	m := NewModel(Options{})
	scored(m, "good", "a", map[int][]float64{0: {1, 1}})
	before := runNamed(t, m, "good")
	if m.Remember("never seen", Progress{Done: true}) {
		t.Error("a run is remembered of which there is nothing")
	}
	if !m.Remember("good", Progress{Total: 10, Concurrency: 2, Gone: true}) {
		t.Fatal("the run is not known")
	}
	if r := runNamed(t, m, "good"); r.Progress == nil || r.Progress.Total != 10 || r.Running() {
		t.Errorf("remembered %+v", r.Progress)
	}
	for range 2 { // only the first word counts what was there
		m.SetProgress("good", &Progress{Total: 5, Running: 1, Waiting: 4})
	}
	r := runNamed(t, m, "good")
	if before.Counts.Finished != 2 || r.Progress.Total != 2+5 || !r.Running() {
		t.Errorf("%+v, want a total of 7", r.Progress)
	}
}

// A run whose driver speaks before its first span begins with that word.
func TestModel_SetProgress_before_the_first_span(t *testing.T) {
	m := NewModel(Options{})
	m.SetProgress("soon", &Progress{Total: 4, Waiting: 4})
	r := runNamed(t, m, "soon")
	if r.Started == 0 || r.Started != r.Progress.Since {
		t.Errorf("started %d, first word %d", r.Started, r.Progress.Since)
	}
	m.SetProgress("soon", &Progress{Total: 4, Running: 1, Waiting: 3})
	if again := runNamed(t, m, "soon"); again.Started != r.Started || again.Progress.Running != 1 {
		t.Errorf("then %+v", again)
	}
}

func runNamed(t *testing.T, m *Model, id string) Run {
	t.Helper()
	list, err := m.Runs(query.Query{}, Page{})
	must(t, err)
	for _, r := range list.Rows {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no run %q", id)
	return Run{}
}
