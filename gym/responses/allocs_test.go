//go:build !race

package responses_test

import (
	"testing"

	"github.com/lensgo/lens/gym/responses"
)

// The race detector makes pools forget on purpose, so that counts mean nothing under it.

// Allocations of a hop must not grow with what is only passed on.
func TestAllocs(t *testing.T) {
	body := conversation(50 << 10)
	p, err := responses.ParseCreateParams(body)
	if err != nil {
		t.Fatal(err)
	}
	it := responses.FunctionCallOutput("c", "x")
	tests := []struct {
		name string
		max  float64
		f    func()
	}{
		{"ParseObject", 1, func() { _, _ = responses.ParseObject(body) }},
		{"Get", 0, func() { p.Get("temperature") }},
		{"Int", 0, func() { p.Int("temperature") }},
		{"Get of an item", 0, func() { it.Get("output") }},
		{"AppendTo into room", 0, func() { body = p.AppendTo(body[:0]) }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got > tt.max {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.max)
		}
	}
	small, large := conversation(2<<10), conversation(200<<10)
	few := testing.AllocsPerRun(20, func() { objectHop(t, small) })
	many := testing.AllocsPerRun(20, func() { objectHop(t, large) })
	if many > few+4 {
		t.Errorf("a hop of 200 KB allocates %v times, one of 2 KB %v; want about the same", many, few)
	}
}
