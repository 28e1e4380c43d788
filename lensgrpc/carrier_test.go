package lensgrpc

import (
	"slices"
	"testing"

	"google.golang.org/grpc/metadata"

	"github.com/lensgo/lens"
)

// TestCarriers: a propagator that is not lens's asks for single values and for keys, on both sides, and writes beside what is
// there.
func TestCarriers(t *testing.T) {
	mine := metadata.Pairs("tenant", "blue", "tenant", "green")
	out := &outgoing{ctx: metadata.NewOutgoingContext(t.Context(), mine)}
	for side, c := range map[string]lens.Carrier{
		"incoming": incoming{metadata.NewIncomingContext(t.Context(), mine)}, "outgoing": out,
	} {
		if c.Get("tenant") != "blue" || c.Get("nothing") != "" || !slices.Equal(c.Keys(), []string{"tenant"}) {
			t.Errorf("%s: %q, %q and the keys %q", side, c.Get("tenant"), c.Get("nothing"), c.Keys())
		}
		c.Set("b3", "1-2")
	}
	if out.Get("b3") != "1-2" || !out.changed || mine.Get("b3") != nil {
		t.Errorf("%v goes out, and the caller's is %v", out.md, mine)
	}
	for _, c := range []lens.Carrier{incoming{t.Context()}, &outgoing{ctx: t.Context()}} {
		if c.Get("tenant") != "" || len(c.Keys()) > 0 {
			t.Errorf("without metadata there are %q", c.Keys())
		}
	}
}
