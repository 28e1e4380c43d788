package meter_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lensgo/lens/bench/meter"
)

func TestCPU(t *testing.T) {
	before, err := meter.CPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for x := uint32(1); n < 20_000_000; n++ {
		x ^= x << 13
		x ^= x >> 17
	}
	after, err := meter.CPU(os.Getpid())
	if err != nil || after <= before || before <= 0 {
		t.Errorf("CPU time went from %v to %v, %v", before, after, err)
	}
	if _, err := meter.CPU(1<<22 + 5); err == nil {
		t.Error("no error for a process that is not there")
	}
}

func TestMemoryOf(t *testing.T) {
	m, err := meter.MemoryOf(os.Getpid())
	if err != nil || m.RSS < 1<<20 || m.Peak < m.RSS {
		t.Errorf("memory %+v, %v", m, err)
	}
	if _, err := meter.MemoryOf(1 << 30); err == nil {
		t.Error("no error for a process that is not there")
	}
}

func TestQuiet(t *testing.T) {
	if got, err := meter.Quiet(t.Context(), os.Getpid(), 10*time.Second); err != nil || got <= 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDiskAndForget(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a", "b/c"} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := meter.Disk(dir); n != 2000 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := meter.Forget(dir); err != nil {
		t.Error(err)
	}
	if _, err := meter.Disk(filepath.Join(dir, "missing")); err != nil {
		t.Errorf("a folder that went away: %v", err)
	}
}
