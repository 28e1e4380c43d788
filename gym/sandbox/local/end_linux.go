package local

import "golang.org/x/sys/unix"

// await waits for a child, and for those on the way that lost their parents: what has ended still counts as a process until
// it is waited for.
func await(child int) (status unix.WaitStatus, err error) {
	for {
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if pid == child || err != nil && err != unix.EINTR {
			return status, err
		}
	}
}

// killNamespace kills all processes of the namespace that the calling one is the first of.
func killNamespace() {
	_ = unix.Kill(-1, unix.SIGKILL) // there may be none
}

// endNamespace does that and waits until they are gone.
func endNamespace() {
	killNamespace()
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}
