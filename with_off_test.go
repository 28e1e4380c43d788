//go:build lens_off

package lens_test

import (
	"testing"

	"github.com/lensgo/lens"
)

func TestWithOff(t *testing.T) {
	ctx := t.Context()
	n := testing.AllocsPerRun(100, func() {
		if lens.With(ctx, lens.Int("a", 1), lens.Str("b", "x")) != ctx {
			t.Error("a context was made")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
