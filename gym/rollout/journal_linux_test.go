package rollout

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/lensgo/lens/gym/internal/filelock"
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
	var s *Summary
	var err error
	waitFor(t, func() bool { // the device is one file for the whole machine, and the test of another package may collect into it, too
		f.waitForLock("/dev/full")
		var p *Plan
		if p, err = Prepare(f.o); err == nil {
			s, err = p.Run(t.Context(), a.client(t))
		}
		return !errors.Is(err, errLocked)
	})
	if !errors.Is(err, syscall.ENOSPC) || s == nil || s.Scored != 0 || s.Missing != 50 {
		t.Errorf("%+v, %v", s, err)
	}
	if got := len(a.bodies()); got > 2 {
		t.Errorf("%d rollouts began on a full disk", got)
	}
}

// waitForLock returns when nobody holds the lock of a file.
func (f *fixture) waitForLock(path string) {
	f.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	if err := filelock.Lock(file); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Fatal(err)
	}
}
