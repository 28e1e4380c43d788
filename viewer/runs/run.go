package runs

import "github.com/lensgo/lens/viewer/otlp"

// run is the writer's side of a run.
type run struct {
	id       string
	rows     vec[*Rollout] // nil: free
	seqs     []uint64      // of the chunk that a row was last written to
	free     []uint32
	live     int
	shapes   []uint32
	traces   int
	progress *Progress
	before   int // rollouts that had ended when the driver's first word came: of an earlier driver under the same name

	changed bool
	seen    *runView
}

// Progress is what only the driver of a run knows; the viewer is told when it is in the driver's process.
type Progress struct {
	Total       int // rollouts of the run; with those of earlier drivers under its name
	Running     int
	Waiting     int // have not begun; when Done, have no result
	Concurrency int
	Done        bool   // by the driver's own word
	Gone        bool   // the driver is no more, and did not say that it was done: what ran and waited then is not known
	Since       uint64 // when its first word came, unix nanoseconds; set by [Model.SetProgress]
}

// Over tells whether nothing will come any more.
func (p *Progress) Over() bool { return p.Done || p.Gone }

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

// slot is where the row of a rollout is.
type slot struct {
	key rollKey
	run *run
	row uint32
}

// slots are the rollouts of a trace. Most traces have one.
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

// put writes a row into a free place and returns it.
func (r *run) put(x *Rollout) uint32 {
	var at uint32
	if n := len(r.free); n > 0 {
		at, r.free = r.free[n-1], r.free[:n-1]
	} else {
		at = r.rows.grow()
		r.seqs = append(r.seqs, 0)
	}
	r.live++
	r.set(at, x)
	return at
}

func (r *run) set(at uint32, x *Rollout) {
	*r.rows.edit(at) = x
	r.changed = true
}

// drop frees a row.
func (r *run) drop(at uint32) {
	*r.rows.edit(at) = nil
	r.free = append(r.free, at)
	r.live--
	r.changed = true
}

// ended counts rollouts.
func (r *run) ended() (n int) {
	for i := range r.rows.n {
		if x := *r.rows.at(uint32(i)); x != nil && x.Ended() {
			n++
		}
	}
	return n
}
