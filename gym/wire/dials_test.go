package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// No more than so many run at a time to one address, and what was counted is forgotten.
func TestDials(t *testing.T) {
	d := &dials{most: 3}
	var running, high atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			done, err := d.begin(t.Context(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			defer done()
			n := running.Add(1)
			defer running.Add(-1)
			for h := high.Load(); n > h && !high.CompareAndSwap(h, n); h = high.Load() {
			}
		})
	}
	all.Wait()
	if h := high.Load(); h < 1 || h > 3 {
		t.Errorf("%d at a time, want 1 to 3", h)
	}
	if len(d.runs) != 0 {
		t.Errorf("%d addresses are kept", len(d.runs))
	}
}

// One that waits leaves with its context, and holds up no other address.
func TestDials_full(t *testing.T) {
	d := &dials{most: 1}
	done, err := d.begin(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	left := errors.New("left")
	cancel(left)
	if _, err := d.begin(ctx, "a"); !errors.Is(err, left) {
		t.Errorf("error is %v", err)
	}
	other, err := d.begin(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	done()
	if len(d.runs) != 0 {
		t.Errorf("%d addresses are kept", len(d.runs))
	}
}

// A dial that gets no answer is a server that does not answer, and not the end of the caller's time.
func TestDialError(t *testing.T) {
	late := &dialError{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}}
	_, err := (&net.Dialer{Timeout: 1}).Dial("tcp", "127.0.0.1:1")
	for _, err := range []error{late, &dialError{err}} {
		if errors.Is(err, context.DeadlineExceeded) || !isDial(err) {
			t.Errorf("%v is a deadline, or no dial", err)
		}
	}
	if err := (&dialError{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v is not refused", err)
	}
}
