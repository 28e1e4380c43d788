//go:build !lens_off

package docker

import (
	"testing"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/lenstest"
)

// Tries after the first are counted, whatever becomes of them.
func TestMetrics_retries(t *testing.T) {
	for name, test := range map[string]struct {
		refused int
		want    float64
	}{"none": {0, 0}, "one": {1, 1}, "in vain": {9, 2}} {
		t.Run(name, func(t *testing.T) {
			m := lenstest.Metrics(t)
			p, f := newFake(t, Options{RetryDelay: 0.001})
			f.refuse(t, "run", "Error response from daemon: bad gateway", test.refused)
			box := sandbox.New(p, sandbox.Spec{Image: "i"})
			if err := box.Start(t.Context()); (err == nil) != (test.refused < 3) {
				t.Error(err)
			}
			if err := box.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			got := 0.0
			for _, point := range m.Points("gym.sandbox.create_retry_total") {
				if point.Attributes != "nemo.gym.sandbox.provider=docker" {
					t.Errorf("attributes %s", point.Attributes)
				}
				got += point.Value
			}
			if got != test.want {
				t.Errorf("%v tries again, want %v", got, test.want)
			}
		})
	}
}
