package runs

import "slices"

// sweepEvery is how many chunks retention takes away until somebody looks for what they leave, minDead how much that must be.
const sweepEvery, minDead = 64, 256

// sweep lets go of the names of what retention took away: each run has processes and kinds of spans of its own, and a viewer may see
// a run a minute for years. It looks at every row, so it is done when half of the names are dead, and between two chunks.
func (m *Model) sweep() {
	if m.forgotten < sweepEvery {
		return
	}
	m.forgotten = 0
	live := 0
	for i := range m.stats.n {
		if *m.stats.at(uint32(i)) != nil {
			live++
		}
	}
	if dead := len(m.t.shapes) - len(m.t.free.shapes) - live; dead < minDead || dead < live {
		return
	}
	k := newMarks(m.t)
	for i := range m.stats.n {
		if *m.stats.at(uint32(i)) != nil {
			k.shape(uint32(i))
		}
	}
	for _, i := range m.touched {
		k.shape(i)
	}
	for i := range m.traces.n {
		if r := m.traces.at(uint32(i)); !r.id.IsZero() {
			k.trace(r)
		}
	}
	for _, r := range m.runs {
		for i := range r.rows.n {
			if x := *r.rows.at(uint32(i)); x != nil {
				k.set(x.set)
				k.shape(x.root)
			}
		}
	}
	for _, w := range m.open {
		for i := range w.nodes {
			k.shape(w.nodes[i].shape)
		}
	}
	m.t.keep(k)
	for i, used := range k.shapes {
		if !used && i < len(m.current) {
			m.current[i] = nil
		}
	}
	for i, used := range k.processes {
		if !used && i < len(m.runOfProcess) {
			m.runOfProcess[i] = nil
		}
	}
	m.sweepRuns()
	m.rd = reader{t: m.t}
	m.changed = true
}

// sweepRuns lets go of the runs of which nothing is left.
func (m *Model) sweepRuns() {
	for id, r := range m.runs {
		if r.live == 0 && r.traces == 0 && len(r.shapes) == 0 && (r.progress == nil || r.progress.Over()) && !slices.Contains(m.runOfProcess, r) {
			delete(m.runs, id)
			m.runList[r.number] = nil
			m.freeRuns = append(m.freeRuns, r.number)
		}
	}
}

// marks say which entries of a table something refers to.
type marks struct {
	t                                      *table
	processes, scopes, shapes, teams, sets []bool // teams are sets of processes, sets those of shapes
}

func newMarks(t *table) *marks {
	k := &marks{
		t: t, processes: make([]bool, len(t.processes)), scopes: make([]bool, len(t.scopes)), shapes: make([]bool, len(t.shapes)),
		teams: make([]bool, len(t.sets)), sets: make([]bool, len(t.sets)),
	}
	k.sets[0] = true
	return k
}

func (k *marks) shape(i uint32) {
	if !k.shapes[i] {
		s := &k.t.shapes[i]
		k.shapes[i], k.processes[s.process], k.scopes[s.scope] = true, true, true
	}
}

func (k *marks) set(i uint32) {
	if !k.sets[i] {
		k.sets[i] = true
		for _, s := range k.t.sets[i] {
			k.shape(s)
		}
	}
}

func (k *marks) trace(r *traceRow) {
	if !k.teams[r.processes] {
		k.teams[r.processes] = true
		for _, p := range k.t.sets[r.processes] {
			k.processes[p] = true
		}
	}
	if r.spans > 0 {
		k.shape(r.root.shape)
	}
}

// keep frees the numbers of what is not marked. Readers have the slices as they were.
func (t *table) keep(k *marks) {
	for i, team := range k.teams {
		k.sets[i] = k.sets[i] || team
	}
	t.processes, t.scopes, t.shapes, t.sets = slices.Clone(t.processes), slices.Clone(t.scopes), slices.Clone(t.shapes), slices.Clone(t.sets)
	sweepList(t.processes, k.processes, &t.free.processes, t.process, func(p Process) Process { return p })
	sweepList(t.scopes, k.scopes, &t.free.scopes, t.scope, func(s scope) scope { return s })
	sweepList(t.shapes, k.shapes, &t.free.shapes, t.shape, func(s shape) shape { return s })
	sweepList(t.sets, k.sets, &t.free.sets, t.set, func(members []uint32) string { return string(appendSet(nil, members)) })
	clear(t.grown)
	clear(t.texts)
	t.lastP, t.lastS = 0, 0
}

// sweepList frees the numbers of a list that are not used, and forgets their keys.
func sweepList[T any, K comparable](list []T, used []bool, free *[]uint32, numbers map[K]uint32, key func(T) K) {
	*free = (*free)[:0]
	for i := range list {
		if used[i] {
			continue
		}
		if k := key(list[i]); numbers[k] == uint32(i) {
			delete(numbers, k)
		}
		var none T
		list[i] = none
		*free = append(*free, uint32(i))
	}
}
