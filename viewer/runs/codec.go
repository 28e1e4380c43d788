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

func (r *decoder) string() string {
	n := r.Count(1)
	return string(r.Bytes(n))
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

// encoder writes a footer. Texts, processes, scopes and shapes are written once and numbered in the order of their first use; they stand
// before the body.
type encoder struct {
	t    *table
	body []byte

	texts     numbering[string]
	processes numbering[uint32]
	scopes    numbering[uint32]
	shapes    numbering[uint32]
}

// numbering numbers things in the order in which they come.
type numbering[T comparable] struct {
	list []T
	of   map[T]int
}

func (n *numbering[T]) number(x T) uint64 {
	i, ok := n.of[x]
	if !ok {
		if n.of == nil {
			n.of = map[T]int{}
		}
		i = len(n.list)
		n.list = append(n.list, x)
		n.of[x] = i
	}
	return uint64(i)
}

func (e *encoder) uvarint(x uint64) { e.body = binary.AppendUvarint(e.body, x) }
func (e *encoder) varint(x int64)   { e.body = binary.AppendVarint(e.body, x) }
func (e *encoder) text(s string)    { e.uvarint(e.texts.number(s)) }
func (e *encoder) shape(s uint32)   { e.uvarint(e.shapes.number(s)) }
func (e *encoder) process(p uint32) { e.uvarint(e.processes.number(p)) }
func (e *encoder) bytes(b []byte)   { e.body = append(e.body, b...) }
func (e *encoder) float(x float64) {
	e.body = binary.LittleEndian.AppendUint64(e.body, math.Float64bits(x))
}
func (e *encoder) flags(on ...bool) {
	var x uint64
	for i, b := range on {
		if b {
			x |= 1 << i
		}
	}
	e.uvarint(x)
}

// head returns what the body refers to.
func (e *encoder) head(b []byte) []byte {
	var tail []byte
	for _, i := range e.shapes.list {
		s := &e.t.shapes[i]
		tail = binary.AppendUvarint(tail, e.processes.number(s.process))
		tail = binary.AppendUvarint(tail, e.scopes.number(s.scope))
		tail = binary.AppendUvarint(tail, e.texts.number(s.name))
		tail = binary.AppendVarint(tail, int64(s.kind))
		tail = binary.AppendUvarint(tail, uint64(s.class))
	}
	var mid []byte
	mid = binary.AppendUvarint(mid, uint64(len(e.processes.list)))
	for _, i := range e.processes.list {
		p := &e.t.processes[i]
		for _, s := range []string{p.Run, p.Service, p.Server, p.ServerType, p.Runtime} {
			mid = binary.AppendUvarint(mid, e.texts.number(s))
		}
	}
	mid = binary.AppendUvarint(mid, uint64(len(e.scopes.list)))
	for _, i := range e.scopes.list {
		s := &e.t.scopes[i]
		mid = binary.AppendUvarint(mid, e.texts.number(s.name))
		mid = binary.AppendUvarint(mid, e.texts.number(s.group))
	}
	mid = binary.AppendUvarint(mid, uint64(len(e.shapes.list)))
	b = binary.AppendUvarint(b, uint64(len(e.texts.list)))
	for _, s := range e.texts.list {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return append(append(b, mid...), tail...)
}
