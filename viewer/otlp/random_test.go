package otlp

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// TestWalkRandom makes requests out of the schema: fields in any order, left out, twice, in parts, unknown ones between
// them, and now and then a mistake. Reading must agree with pdata, as in FuzzWalk, which mutates bytes and so seldom gets
// past the first message.
func TestWalkRandom(t *testing.T) {
	good, bad := 0, 0
	for seed := range uint64(1000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		n, err := checkRequest(t, g.message(request, 0))
		good += n
		if err != nil {
			bad++
		}
	}
	if good < 1000 || bad < 50 {
		t.Errorf("%d good spans and %d bad requests; the generator is broken", good, bad)
	}
}

type generator struct{ *rand.Rand }

func (g generator) message(m *message, depth int) (b []byte) {
	var known []int
	for i := range m.fields {
		if m.fields[i].name != "" {
			known = append(known, i)
		}
	}
	n := g.IntN(2 * len(known))
	if len(known) < 4 {
		n = g.IntN(6)
	}
	if depth > 7 {
		n = 0
	}
	for range n {
		i := known[g.IntN(len(known))]
		num := protowire.Number(i)
		if i == 0 {
			num = oldScopeSpans
		}
		b = append(b, g.field(&m.fields[i], num, depth)...)
	}
	return b
}

func (g generator) field(s *schema, num protowire.Number, depth int) []byte {
	switch g.IntN(3000) {
	case 0: // another type
		return append(protowire.AppendTag(nil, num, protowire.Type(g.IntN(8))), 1, 2, 3, 4, 5, 6, 7, 8)
	case 1: // cut off
		return append(protowire.AppendTag(nil, num, s.wire), 0x80)
	case 2: // an id of the wrong length, or odd text
		return pb(num, "odd")
	case 3, 4, 5, 6, 7, 8, 9:
		return slices.Concat(pb(90, "unknown"), vi(91, g.Uint64()), f64(92, 1), f32(93, 1), group(94))
	}
	switch s.wire {
	case protowire.VarintType:
		return vi(num, g.Uint64()>>g.IntN(64))
	case protowire.Fixed64Type:
		return f64(num, g.Uint64())
	case protowire.Fixed32Type:
		return f32(num, g.Uint32())
	}
	switch {
	case s.msg != nil:
		return pb(num, g.message(s.msg, depth+1))
	case s.size != 0 && g.IntN(4) > 0:
		return pb(num, strings.Repeat(string(rune('a'+g.IntN(3))), s.size))
	case s.size != 0:
		return pb(num, "")
	}
	return pb(num, []string{"", "a", "b", "\xff", "wörld", strings.Repeat("long ", 30)}[g.IntN(6)])
}
