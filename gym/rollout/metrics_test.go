//go:build !lens_off

package rollout

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/lenstest"
)

// TestRun_metrics: whatever the span groups, a run says how its attempts ended, and what waited.
func TestRun_metrics(t *testing.T) {
	m := lenstest.Metrics(t)
	f := newFixture(t, inputRows(5))
	f.o.Concurrency = 2
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		switch n(row) {
		case 1:
			fmt.Fprint(w, `{"_ng_no_persist":true}`)
		case 2:
			fmt.Fprint(w, `{"_ng_failure_class":"tool_broke"}`)
		case 3:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			fmt.Fprint(w, `{"reward":0}`)
		}
	}
	f.run(a)
	for _, c := range []struct {
		name, attributes string
		want             float64
	}{
		{"gym.rollout.completed_total", "nemo.gym.rollout.outcome=scored", 2},
		{"gym.rollout.completed_total", "nemo.gym.rollout.outcome=omitted", 1},
		{"gym.rollout.completed_total", "nemo.gym.failure_class=tool_broke,nemo.gym.rollout.outcome=failed", 1},
		{"gym.rollout.completed_total", "nemo.gym.failure_class=agent_run_error,nemo.gym.rollout.outcome=failed", 1},
		{"gym.driver.rollouts.offered", "", 5},
		{"gym.driver.rollouts.limit", "", 2},
	} {
		if got := m.Point(c.name, c.attributes).Value; got != c.want {
			t.Errorf("%s{%s} is %v, want %v; there is %v", c.name, c.attributes, got, c.want, m.Points(c.name))
		}
	}
	for _, name := range []string{"gym.driver.rollouts.resident", "gym.driver.rollouts.active"} {
		if p := m.Points(name); len(p) != 1 || p[0].Value != 0 {
			t.Errorf("%s after the run: %v", name, p)
		}
	}
	if p := m.Point("gym.driver.admission.duration", ""); p.Count != 5 {
		t.Errorf("%d admissions, want 5", p.Count)
	}
}
