package runs

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
)

// table numbers what many spans have in common. It only grows, and an entry never changes, so that a copy of its slices
// can be read while it is written.
type table struct {
	maxShapes int

	processes []Process
	scopes    []scope
	shapes    []shape
	sets      [][]uint32

	process map[Process]uint32
	scope   map[scope]uint32
	shape   map[shapeKey]uint32
	set     map[string]uint32
	grown   map[[2]uint32]uint32 // set and member: the set with it
	texts   map[string]string    // that many rollouts have

	lastProcess Process // of the span before
	lastScope   scope
	lastP       uint32
	lastS       uint32
	buf         []byte
}

// scope is a library and a span group of it.
type scope struct{ name, group string }

// shape is what alike spans have in common: process, group, name.
type shape struct {
	process, scope uint32
	name           string
	kind           otlp.Kind
	class          class
}

type shapeKey struct {
	process, scope uint32
	kind           otlp.Kind
	class          class
	name           string
}

// otherNames stands for names beyond the bound.
const otherNames = "(other names)"

func newTable(maxShapes int) *table {
	return &table{
		maxShapes: maxShapes, sets: [][]uint32{nil},
		process: map[Process]uint32{}, scope: map[scope]uint32{}, shape: map[shapeKey]uint32{}, set: map[string]uint32{"": 0}, grown: map[[2]uint32]uint32{}, texts: map[string]string{},
	}
}

func (t *table) shapeOf(s *Span) uint32 {
	p, sc := t.processOf(&s.Process), t.scopeOf(scope{s.Scope, s.Group})
	return t.intern(shapeKey{p, sc, s.Kind, s.class(), s.Name})
}

func (t *table) intern(k shapeKey) uint32 {
	if i, ok := t.shape[k]; ok {
		return i
	}
	if len(t.shapes) >= t.maxShapes && k.name != otherNames {
		k.name = otherNames
		return t.intern(k)
	}
	k.name = strings.Clone(k.name)
	t.shapes = append(t.shapes, shape{k.process, k.scope, k.name, k.kind, k.class})
	i := uint32(len(t.shapes) - 1)
	t.shape[k] = i
	return i
}

func (t *table) processOf(p *Process) uint32 {
	if len(t.processes) > 0 && *p == t.lastProcess {
		return t.lastP
	}
	i, ok := t.process[*p]
	if !ok {
		own := Process{strings.Clone(p.Run), strings.Clone(p.Service), strings.Clone(p.Server), strings.Clone(p.ServerType), strings.Clone(p.Runtime)}
		i = uint32(len(t.processes))
		t.processes = append(t.processes, own)
		t.process[own] = i
	}
	t.lastProcess, t.lastP = t.processes[i], i
	return i
}

func (t *table) scopeOf(s scope) uint32 {
	if len(t.scopes) > 0 && s == t.lastScope {
		return t.lastS
	}
	i, ok := t.scope[s]
	if !ok {
		s = scope{strings.Clone(s.name), strings.Clone(s.group)}
		i = uint32(len(t.scopes))
		t.scopes = append(t.scopes, s)
		t.scope[s] = i
	}
	t.lastScope, t.lastS = t.scopes[i], i
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

// setOf numbers a sorted set.
func (t *table) setOf(members []uint32) uint32 {
	t.buf = t.buf[:0]
	for _, m := range members {
		t.buf = binary.LittleEndian.AppendUint32(t.buf, m)
	}
	if i, ok := t.set[string(t.buf)]; ok {
		return i
	}
	t.sets = append(t.sets, slices.Clone(members))
	i := uint32(len(t.sets) - 1)
	t.set[string(t.buf)] = i
	return i
}

// with numbers a set with one more member.
func (t *table) with(set, member uint32) uint32 {
	for _, m := range t.sets[set][:min(len(t.sets[set]), 8)] {
		if m == member {
			return set
		}
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

func (t *table) names() names { return names{t.processes, t.scopes, t.shapes, t.sets} }

func (n *names) processOf(shape uint32) *Process { return &n.processes[n.shapes[shape].process] }
