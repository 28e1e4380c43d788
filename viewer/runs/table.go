package runs

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
)

// table numbers what many spans have in common. An entry that something refers to never changes, so that a copy of its slices can be
// read while it is written.
type table struct {
	maxShapes int

	names
	free freeNumbers

	process map[Process]uint32
	scope   map[scope]uint32
	shape   map[shape]uint32
	set     map[string]uint32
	grown   map[[2]uint32]uint32 // set and member: the set with it
	texts   map[string]string    // that many rollouts have

	lastProcess Process // of the span before
	lastScope   scope
	lastP       uint32 // 1 + its number; 0: none
	lastS       uint32
	buf         []byte
}

// freeNumbers are those of entries that nothing refers to any more.
type freeNumbers struct{ processes, scopes, shapes, sets []uint32 }

// place puts an entry where there is room, and returns its number.
func place[T any](list *[]T, free *[]uint32, x T) uint32 {
	if n := len(*free); n > 0 {
		i := (*free)[n-1]
		*free = (*free)[:n-1]
		(*list)[i] = x
		return i
	}
	*list = append(*list, x)
	return uint32(len(*list) - 1)
}

// scope is a library and a span group of it.
type scope struct{ name, group string }

// shape is what alike spans have in common: process, group, name. What is no text stands together, so that a map hashes it at once.
type shape struct {
	process, scope uint32
	kind           otlp.Kind
	class          class
	name           string
}

// otherNames stands for names beyond the bound.
const otherNames = "(other names)"

func newTable(maxShapes int) *table {
	return &table{
		maxShapes: maxShapes, names: names{sets: [][]uint32{nil}},
		process: map[Process]uint32{}, scope: map[scope]uint32{}, shape: map[shape]uint32{}, set: map[string]uint32{"": 0}, grown: map[[2]uint32]uint32{}, texts: map[string]string{},
	}
}

func (t *table) shapeOf(s *Span) uint32 {
	p, sc := t.processOf(&s.Process), t.scopeOf(scope{s.Scope, s.Group})
	return t.intern(shape{p, sc, s.Kind, s.class(), s.Name})
}

func (t *table) intern(k shape) uint32 {
	if i, ok := t.shape[k]; ok {
		return i
	}
	if len(t.shapes)-len(t.free.shapes) >= t.maxShapes && k.name != otherNames {
		k.name = otherNames
		return t.intern(k)
	}
	k.name = strings.Clone(k.name)
	i := place(&t.shapes, &t.free.shapes, k)
	t.shape[k] = i
	return i
}

func (t *table) processOf(p *Process) uint32 {
	if t.lastP > 0 && *p == t.lastProcess {
		return t.lastP - 1
	}
	i, ok := t.process[*p]
	if !ok {
		own := Process{strings.Clone(p.Run), strings.Clone(p.Service), strings.Clone(p.Server), strings.Clone(p.ServerType), strings.Clone(p.Runtime)}
		i = place(&t.processes, &t.free.processes, own)
		t.process[own] = i
	}
	t.lastProcess, t.lastP = t.processes[i], i+1
	return i
}

func (t *table) scopeOf(s scope) uint32 {
	if t.lastS > 0 && s == t.lastScope {
		return t.lastS - 1
	}
	i, ok := t.scope[s]
	if !ok {
		s = scope{strings.Clone(s.name), strings.Clone(s.group)}
		i = place(&t.scopes, &t.free.scopes, s)
		t.scope[s] = i
	}
	t.lastScope, t.lastS = t.scopes[i], i+1
	return i
}

// compare orders shapes by what they are.
func (t *table) compare(a, b uint32) int {
	if a == b {
		return 0
	}
	x, y := &t.shapes[a], &t.shapes[b]
	p, q := &t.processes[x.process], &t.processes[y.process]
	c, d := &t.scopes[x.scope], &t.scopes[y.scope]
	return cmp.Or(
		strings.Compare(x.name, y.name), cmp.Compare(x.kind, y.kind), cmp.Compare(x.class, y.class), strings.Compare(c.name, d.name), strings.Compare(c.group, d.group),
		strings.Compare(p.Run, q.Run), strings.Compare(p.Service, q.Service), strings.Compare(p.Server, q.Server), strings.Compare(p.ServerType, q.ServerType), strings.Compare(p.Runtime, q.Runtime),
	)
}

// appendSet makes the key of a set.
func appendSet(b []byte, members []uint32) []byte {
	for _, m := range members {
		b = binary.LittleEndian.AppendUint32(b, m)
	}
	return b
}

// setOf numbers a sorted set.
func (t *table) setOf(members []uint32) uint32 {
	t.buf = appendSet(t.buf[:0], members)
	if i, ok := t.set[string(t.buf)]; ok {
		return i
	}
	i := place(&t.sets, &t.free.sets, slices.Clone(members))
	t.set[string(t.buf)] = i
	return i
}

// with numbers a set with one more member.
func (t *table) with(set, member uint32) uint32 {
	if slices.Contains(t.sets[set][:min(len(t.sets[set]), 8)], member) {
		return set
	}
	k := [2]uint32{set, member}
	if i, ok := t.grown[k]; ok {
		return i
	}
	i, old := set, t.sets[set]
	if at, ok := slices.BinarySearch(old, member); !ok {
		i = t.setOf(slices.Insert(slices.Clone(old), at, member))
	}
	t.grown[k] = i
	return i
}

// union numbers a set with all members of another.
func (t *table) union(set, other uint32) uint32 {
	if set == 0 || set == other { // mostly
		return other
	}
	for _, member := range t.sets[other] {
		set = t.with(set, member)
	}
	return set
}

// maxTexts bounds the texts of which there is one only.
const maxTexts = 10_000

// own returns a text that stays, the same for equal ones.
func (t *table) own(b []byte) string {
	if s, ok := t.texts[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(t.texts) < maxTexts {
		t.texts[s] = s
	}
	return s
}

// share replaces a text by the one that is there already.
func (t *table) share(s *string) {
	if own, ok := t.texts[*s]; ok {
		*s = own
	} else if len(t.texts) < maxTexts {
		t.texts[*s] = *s
	}
}

// names are the parts of a table that a reader may keep.
type names struct {
	processes []Process
	scopes    []scope
	shapes    []shape
	sets      [][]uint32
}

func (n *names) processOf(shape uint32) *Process { return &n.processes[n.shapes[shape].process] }
