package runs

import "github.com/lensgo/lens/viewer/otlp"

// rollKey names a rollout of a trace: by its gym.rollout span, or, without one, by its id.
type rollKey struct {
	span otlp.SpanID
	id   string
}

func keyOf(r *Rollout) rollKey {
	if r.Guessed {
		return rollKey{id: r.ID}
	}
	return rollKey{span: r.Span}
}

// goneKey names a rollout of any trace.
type goneKey struct {
	trace otlp.TraceID
	key   rollKey
}

// spot is where the row of a rollout is: the number of the run, and the row there.
type spot struct{ run, row uint32 }

// slot is a rollout of a trace.
type slot struct {
	key rollKey
	spot
}

// slots are the rollouts of a trace that has several.
type slots struct {
	list  []slot
	index map[rollKey]int // of many
}

func (s *slots) find(k rollKey) int {
	if s.index != nil {
		if i, ok := s.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range s.list {
		if s.list[i].key == k {
			return i
		}
	}
	return -1
}

func (s *slots) add(x slot) {
	s.list = append(s.list, x)
	if s.index != nil {
		s.index[x.key] = len(s.list) - 1
	} else if len(s.list) > 16 {
		s.index = map[rollKey]int{}
		for i, x := range s.list {
			s.index[x.key] = i
		}
	}
}

func (s *slots) remove(i int) {
	last := len(s.list) - 1
	if s.index != nil {
		delete(s.index, s.list[i].key)
		if i != last {
			s.index[s.list[last].key] = i
		}
	}
	s.list[i] = s.list[last]
	s.list[last] = slot{}
	s.list = s.list[:last]
}

// rolloutAt returns what stands at a spot.
func (m *Model) rolloutAt(s spot) *Rollout { return *m.runList[s.run].rows.at(s.row) }

// slotAt returns a rollout of a trace, by its place in no particular order.
func (m *Model) slotAt(row uint32, i int32) slot {
	if s := m.many[row]; s != nil {
		return s.list[i]
	}
	at := m.traces.at(row).spot
	return slot{keyOf(m.rolloutAt(at)), at}
}

// find finds a rollout of a trace.
func (m *Model) find(row uint32, k rollKey) (spot, bool) {
	if s := m.many[row]; s != nil {
		i := s.find(k)
		if i < 0 {
			return spot{}, false
		}
		return s.list[i].spot, true
	}
	at := m.traces.at(row)
	return at.spot, at.rollouts > 0 && keyOf(m.rolloutAt(at.spot)) == k
}

// setSpot says where a rollout of a trace is.
func (m *Model) setSpot(row uint32, k rollKey, to spot) {
	at := m.traces.edit(row)
	s := m.many[row]
	switch {
	case s != nil:
		if i := s.find(k); i >= 0 {
			s.list[i].spot = to
			return
		}
		s.add(slot{k, to})
	case at.rollouts == 0:
		at.spot = to
	default:
		old := m.slotAt(row, 0)
		if old.key == k {
			at.spot = to
			return
		}
		m.many[row] = &slots{list: []slot{old, {k, to}}}
	}
	at.rollouts++
}

// dropSpot forgets where a rollout of a trace is.
func (m *Model) dropSpot(row uint32, k rollKey) {
	at := m.traces.edit(row)
	at.rollouts--
	s := m.many[row]
	if s == nil {
		return
	}
	s.remove(s.find(k))
	if len(s.list) == 1 {
		at.spot = s.list[0].spot
		delete(m.many, row)
	}
}

// setRollout writes the row of a rollout that was looked at.
func (m *Model) setRollout(row uint32, r *Rollout) {
	r.Trace = m.traces.at(row).id
	for _, text := range [...]*string{&r.Environment, &r.Agent, &r.Failure} {
		m.t.share(text)
	}
	if s, ok := m.find(row, keyOf(r)); ok && r.Guessed && r.like(m.rolloutAt(s)) {
		return
	}
	if s, first := m.place(row, r, m.seq); first {
		m.chunk.rolls = append(m.chunk.rolls, written{s, row})
	}
	delete(m.chunk.gone, goneKey{r.Trace, keyOf(r)})
}

// place puts a row where it belongs; seq is of the chunk that it comes from. It tells whether it is the first time for that chunk.
func (m *Model) place(row uint32, r *Rollout, seq uint32) (s spot, first bool) {
	k, target := keyOf(r), m.runNamed(r.Run)
	s, ok := m.find(row, k)
	if ok && s.run == target.number {
		target.set(s.row, r)
	} else {
		old := s
		s = spot{target.number, target.put(r)}
		m.setSpot(row, k, s)
		if ok {
			m.runList[old.run].drop(old.row)
		}
	}
	first = target.seqs[s.row] != seq
	target.seqs[s.row] = seq
	delete(m.gone, goneKey{r.Trace, k})
	return s, first
}

// removeRollout removes the row of what turned out to be no rollout, or to be another.
func (m *Model) removeRollout(row uint32, k rollKey) {
	if !m.unplace(row, k) {
		return
	}
	key := goneKey{m.traces.at(row).id, k}
	m.chunk.gone[key] = struct{}{}
	m.gone[key] = m.seq
}

// unplace removes a row. It returns false when there is none.
func (m *Model) unplace(row uint32, k rollKey) bool {
	s, ok := m.find(row, k)
	if !ok {
		return false
	}
	m.dropSpot(row, k)
	m.runList[s.run].drop(s.row)
	return true
}
