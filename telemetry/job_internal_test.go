//go:build !lens_off

package telemetry

import (
	"crypto/sha256"
	"testing"
)

// No trace id is zero.
func TestTraceIDOf(t *testing.T) {
	if id := traceIDOf([sha256.Size]byte{16: 1}); id.String() != "00000000000000000000000000000001" {
		t.Errorf("the id is %v", id)
	}
	if id := traceIDOf([sha256.Size]byte{0: 0xab, 15: 2, 16: 1}); id.String() != "ab000000000000000000000000000002" {
		t.Errorf("the id is %v", id)
	}
}
