package runs

import (
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
)

// TestDemo checks what a real run comes to.
func TestDemo(t *testing.T) {
	pieces := demo(t)
	m := NewModel(Options{})
	feed(m, pieces)
	list, err := m.Runs(query.Query{}, Page{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Rows) != 1 {
		t.Fatalf("%d runs, want 1", len(list.Rows))
	}
	run := list.Rows[0]
	t.Logf("%+v", run)
	if c := run.Counts; c.Rollouts != 8 || c.Scored != 8 || c.Running != 0 || run.Tasks != 4 || run.Attempts != 2 || run.Spans != int64(len(pieces)) || !run.JobEnded || run.Running() {
		t.Errorf("the run is %+v", run)
	}
	rows, err := m.Rollouts(run.ID, query.Query{}, Page{Sort: "task"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows.Rows {
		t.Logf("%+v", r)
		if r.Total() != r.Duration()+r.Split[PartAdmission] {
			t.Errorf("%s: the parts sum to %v, want %v", r.ID, r.Total(), r.Duration()+r.Split[PartAdmission])
		}
	}
}

var _ = otlp.KindServer
