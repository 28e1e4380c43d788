//go:build !lens_off

package metrics

import "time"

// SetPatience changes how long a collection waits for callbacks, and returns how long it was.
func SetPatience(d time.Duration) (before time.Duration) {
	before, patience = patience, d
	return before
}

// ForgetFaults makes every fault news again.
func ForgetFaults() {
	said.mu.Lock()
	defer said.mu.Unlock()
	clear(said.faults)
}
