package spool_test

import (
	"os"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

// What thousands of dead processes have left may not cost a process its file descriptors.
func TestSpool_takes_over_many(t *testing.T) {
	const processes = 200
	one := segment(t, "a")
	left := make([][]byte, processes)
	for i := range left {
		left[i] = one
	}
	root := newRoot(t)
	plant(t, root, left...)
	before := descriptors(t)
	s := open(t, root, spool.Options{})
	for n := range processes {
		e := s.Oldest()
		e.Try()
		e.Done()
		if now := descriptors(t); now > before+10 {
			t.Fatalf("%d descriptors after %d of %d records, %d before", now, n, processes, before)
		}
	}
	if !s.Empty() {
		t.Error("there are more")
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
