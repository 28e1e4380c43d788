package lens_test

import (
	"testing"
	"time"

	"github.com/lensgo/lens"
)

// Off, nothing is looked at: times that make no sense are fine, and nobody is asked for attributes.
func TestEmitOff(t *testing.T) {
	r, recorder, log := recorded(t)
	now := time.Now()
	for _, g := range []*lens.Group{nil, r.NewGroup("off")} {
		if ref := g.Emit(t.Context(), "x", now, now.Add(-1), lens.Int("n", 1)); ref != (lens.Ref{}) {
			t.Errorf("Emit of %q: %v", g.Name(), ref)
		}
		ref := g.EmitWith(t.Context(), "x", lens.EmitConfig{Start: now, Fill: func(lens.Span) { t.Error("Fill was called") }})
		if ref != (lens.Ref{}) {
			t.Errorf("EmitWith of %q: %v", g.Name(), ref)
		}
	}
	log.none(t)
	if n := len(recorder.Started()); n != 0 {
		t.Errorf("%d spans", n)
	}
}
