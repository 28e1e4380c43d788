package runs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lensgo/lens/viewer/internal/packed"
)

// decoder reads a footer.
type decoder struct{ packed.Reader }

// below reads a number under a bound.
func (r *decoder) below(bound uint64) uint64 {
	x := r.Uvarint()
	if x >= bound && r.Err() == nil {
		r.Fail(fmt.Sprintf("%d is not below %d", x, bound))
		return 0
	}
	return x
}

func (r *decoder) id(b []byte) { copy(b, r.Bytes(len(b))) }

func (r *decoder) int32() int32 {
	x := r.Varint()
	if x < math.MinInt32 || x > math.MaxInt32 {
		r.Fail("a count has more than 32 bits")
		return 0
	}
	return int32(x)
}

// small reads an index or a count that may be one more than 32 bits hold.
func (r *decoder) small() int {
	x := r.Varint()
	if x < math.MinInt32 || x > math.MaxInt32+1 {
		r.Fail("a number has more than 32 bits")
		return 0
	}
	return int(x)
}

// encoder writes footers, one after the other. Texts and what the table knows are written once and numbered in the order of their first
// use; they stand before the body.
type encoder struct {
	t    *table
	body []byte

	texts     map[string]int
	textList  []string
	processes numbering
	scopes    numbering
	shapes    numbering
	teams     numbering // sets of processes
	sets      numbering // of shapes
}

// reset begins another footer.
func (e *encoder) reset(t *table) {
	e.t, e.body = t, e.body[:0]
	clear(e.texts)
	e.textList = e.textList[:0]
	for _, n := range [...]*numbering{&e.processes, &e.scopes, &e.shapes, &e.teams, &e.sets} {
		n.reset()
	}
	if cap(e.body) > 1<<20 {
		e.body = nil
	}
}

// numbering numbers entries of the table in the order in which they come.
type numbering struct {
	list []uint32
	of   []uint32 // 1 + the number of an entry
}

func (n *numbering) reset() {
	for _, x := range n.list {
		n.of[x] = 0
	}
	n.list = n.list[:0]
}

func (n *numbering) number(x uint32) uint64 {
	if int(x) >= len(n.of) {
		n.of = append(n.of, make([]uint32, int(x)+1-len(n.of))...)
	}
	if n.of[x] == 0 {
		n.list = append(n.list, x)
		n.of[x] = uint32(len(n.list))
	}
	return uint64(n.of[x] - 1)
}

func (e *encoder) text(s string) {
	i, ok := e.texts[s]
	if !ok {
		if e.texts == nil {
			e.texts = map[string]int{}
		}
		i = len(e.textList)
		e.texts[s] = i
		e.textList = append(e.textList, s)
	}
	e.uvarint(uint64(i))
}

func (e *encoder) uvarint(x uint64) { e.body = binary.AppendUvarint(e.body, x) }
func (e *encoder) varint(x int64)   { e.body = binary.AppendVarint(e.body, x) }
func (e *encoder) shape(s uint32)   { e.uvarint(e.shapes.number(s)) }
func (e *encoder) bytes(b []byte)   { e.body = append(e.body, b...) }
func (e *encoder) float(x float64) {
	e.body = binary.LittleEndian.AppendUint64(e.body, math.Float64bits(x))
}
func (e *encoder) flags(on ...bool) {
	var x byte
	for i, b := range on {
		if b {
			x |= 1 << i
		}
	}
	e.body = append(e.body, x)
}

// head appends what the body refers to: each list after those that it refers to itself, which are numbered in the other direction.
func (e *encoder) head(b []byte) []byte {
	sets := e.members(nil, &e.sets, &e.shapes)
	teams := e.members(nil, &e.teams, &e.processes)
	shapes := binary.AppendUvarint(nil, uint64(len(e.shapes.list)))
	for _, i := range e.shapes.list {
		s := &e.t.shapes[i]
		shapes = binary.AppendUvarint(shapes, e.processes.number(s.process))
		shapes = binary.AppendUvarint(shapes, e.scopes.number(s.scope))
		shapes = appendTexts(shapes, s.name)
		shapes = binary.AppendVarint(shapes, int64(s.kind))
		shapes = binary.AppendUvarint(shapes, uint64(s.class))
	}
	b = appendTexts(binary.AppendUvarint(b, uint64(len(e.textList))), e.textList...)
	b = binary.AppendUvarint(b, uint64(len(e.processes.list)))
	for _, i := range e.processes.list {
		p := &e.t.processes[i]
		b = appendTexts(b, p.Run, p.Service, p.Server, p.ServerType, p.Runtime)
	}
	b = binary.AppendUvarint(b, uint64(len(e.scopes.list)))
	for _, i := range e.scopes.list {
		s := &e.t.scopes[i]
		b = appendTexts(b, s.name, s.group)
	}
	return append(append(append(b, shapes...), teams...), sets...)
}

// members appends sets, by the numbers of their members.
func (e *encoder) members(b []byte, sets, of *numbering) []byte {
	b = binary.AppendUvarint(b, uint64(len(sets.list)))
	for _, i := range sets.list {
		b = binary.AppendUvarint(b, uint64(len(e.t.sets[i])))
		for _, x := range e.t.sets[i] {
			b = binary.AppendUvarint(b, of.number(x))
		}
	}
	return b
}

func appendTexts(b []byte, list ...string) []byte {
	for _, s := range list {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}
