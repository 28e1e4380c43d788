//go:build !lens_off

package resources_test

import (
	"testing"

	"github.com/lensgo/lens/lenstest"
)

// TestVerifyMetrics: each call of /verify is measured under any spec, one that fails among them.
func TestVerifyMetrics(t *testing.T) {
	m := lenstest.Metrics(t)
	server := newServer(t)
	body := func(want string) string {
		return `{"responses_create_params":` + askedJSON + `,"want":` + want + `,"response":` + answeredJSON + `}`
	}
	for _, c := range []struct {
		body   string
		status int
	}{{body("1"), 200}, {body("99"), 500}, {`{}`, 422}} {
		if got := post(t, server, "/verify", c.body).Code; got != c.status {
			t.Errorf("%s: status %d, want %d", c.body, got, c.status)
		}
	}
	if p := m.Point("gym.verify.duration_ms", ""); p.Count != 3 || p.Value <= 0 {
		t.Errorf("durations: %v, want 3", p)
	}
	if p := m.Points("gym.verify.success_rate"); len(p) != 1 || p[0].Value <= 0 || p[0].Value >= 1 {
		t.Errorf("share of calls that completed: %v", p)
	}
}
