//go:build !race

package model_test

import "testing"

// The race detector makes pools forget on purpose, so that counts mean nothing under it.

// TestPassThroughAllocations: what passes through is not decoded, so that a thousand times the tokens take no more allocations.
func TestPassThroughAllocations(t *testing.T) {
	allocations := func(n int) float64 {
		m, r := passThrough(t, n)
		return testing.AllocsPerRun(100, func() {
			if _, err := m.Respond(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		})
	}
	// The decoder's buffer grows with the body: a few allocations more.
	if few, many := allocations(10), allocations(10_000); many > few+4 {
		t.Errorf("%v allocations with 10 tokens, %v with 10,000", few, many)
	}
}
