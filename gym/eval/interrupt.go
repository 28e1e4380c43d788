package eval

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// drainTime is how long running rollouts may go on after the first interrupt.
const drainTime = 10 * time.Second

// interrupts turns signals into the two steps of stopping: the first drains, the second, or the end of the drain time,
// cancels. The returned function ends the watch and waits for it.
func interrupts(signals <-chan os.Signal, out io.Writer, drain func(), cancel context.CancelCauseFunc) (stop func()) {
	if signals == nil {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-done:
			return
		case <-signals:
		}
		fmt.Fprintf(out, "\nStopping: no new rollouts; running ones may finish for %v. Interrupt again to cancel them.\n", drainTime)
		drain()
		timer := time.NewTimer(drainTime)
		defer timer.Stop()
		select {
		case <-done:
			return
		case <-signals:
		case <-timer.C:
		}
		cancel(ErrInterrupted)
	}()
	return func() {
		close(done)
		<-gone
	}
}
