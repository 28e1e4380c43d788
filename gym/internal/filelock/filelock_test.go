//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// open opens a path once more, as another process would.
func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestTry(t *testing.T) {
	type taking = func(*os.File) error
	for name, c := range map[string]struct {
		first, second taking
		want          error
	}{
		"alone, alone":   {Try, Try, ErrLocked},
		"alone, shared":  {Try, TryShared, ErrLocked},
		"shared, alone":  {TryShared, Try, ErrLocked},
		"shared, shared": {TryShared, TryShared, nil},
		"waiting, alone": {Lock, Try, ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			holder, other := open(t, path), open(t, path)
			if err := c.first(holder); err != nil {
				t.Fatal(err)
			}
			if err := c.second(other); !errors.Is(err, c.want) {
				t.Errorf("the second is given %v, want %v", err, c.want)
			}
			holder.Close()
			if err := c.second(other); err != nil {
				t.Errorf("after the holder's end: %v", err)
			}
		})
	}
}

// A holder of a shared lock can have it alone once nobody shares it, without letting go.
func TestTryAfterShared(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "file"))
	for _, take := range []func(*os.File) error{TryShared, Try} {
		if err := take(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := TryShared(open(t, f.Name())); !errors.Is(err, ErrLocked) {
		t.Errorf("another is given %v", err)
	}
}

// Those that wait come in one after the other.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
				if err != nil {
					t.Error(err)
					return
				}
				if err := Lock(f); err != nil {
					t.Error(err)
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold it at once", n)
				}
				runtime.Gosched()
				inside.Add(-1)
				f.Close()
			}
		})
	}
	wg.Wait()
}

func TestErrors(t *testing.T) {
	for err, want := range map[syscall.Errno]error{
		syscall.EWOULDBLOCK: ErrLocked,
		syscall.ENOSYS:      errors.ErrUnsupported,
		syscall.ENOTSUP:     errors.ErrUnsupported,
		syscall.ENOLCK:      errors.ErrUnsupported,
		syscall.EBADF:       syscall.EBADF,
	} {
		if got := meaning(err); !errors.Is(got, want) {
			t.Errorf("%v comes to %v, want %v", err, got, want)
		}
	}
	closed := open(t, filepath.Join(t.TempDir(), "file"))
	closed.Close()
	if err := Try(closed); err == nil {
		t.Error("a closed file has a lock")
	}
}
