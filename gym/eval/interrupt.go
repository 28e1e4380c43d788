package eval

import "os"

// onSignals calls one step for each signal, in order; signals beyond the last step stay where they are. The returned
// function ends that, and waits for a step that is at work.
func onSignals(signals <-chan os.Signal, steps ...func()) (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for _, step := range steps {
			select {
			case <-done:
				return
			case <-signals:
				step()
			}
		}
	}()
	return func() {
		close(done)
		<-gone
	}
}
