package lostspan

import (
	"testing"
)

// Tests are not looked at.
func TestOpen(t *testing.T) {
	_, span := step.Start(t.Context(), "a")
	span.Int("n", 1)
	step.Start(t.Context(), "a")
}
