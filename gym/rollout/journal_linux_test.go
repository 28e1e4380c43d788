package rollout

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// A full disk ends the run: what cannot be kept must not be computed.
func TestRun_output_cannot_be_written(t *testing.T) {
	f := newFixture(t, inputRows(50))
	f.o.Concurrency = 1
	f.write("out/x", "")
	if err := os.Symlink("/dev/full", f.o.Output); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t)
	s, err := f.prepare().Run(t.Context(), a.client(t))
	if !errors.Is(err, syscall.ENOSPC) || s == nil || s.Scored != 0 || s.Missing != 50 {
		t.Errorf("%+v, %v", s, err)
	}
	if got := len(a.bodies()); got > 2 {
		t.Errorf("%d rollouts began on a full disk", got)
	}
}
