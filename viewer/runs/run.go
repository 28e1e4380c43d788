package runs

// run is the writer's side of a run.
type run struct {
	id       string
	number   uint32
	rows     vec[*Rollout] // nil: free
	seqs     []uint32      // of the chunk that a row was last written to
	free     []uint32
	live     int
	byTask   rowIndex    // rows by environment and task
	tasks    int         // different ones
	attempts map[int]int // rollouts by attempt
	running  int
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
	Spec        string // which span groups were asked for
	Done        bool   // by the driver's own word
	Gone        bool   // the driver is no more, and did not say that it was done: what ran and waited then is not known
	Since       uint64 // when its first word came, unix nanoseconds; set by [Model.SetProgress]
}

// Over tells whether nothing will come any more.
func (p *Progress) Over() bool { return p.Done || p.Gone }

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
	r.note(at, -1)
	*r.rows.edit(at) = x
	r.note(at, 1)
	r.changed = true
}

// drop frees a row.
func (r *run) drop(at uint32) {
	r.note(at, -1)
	*r.rows.edit(at) = nil
	r.seqs[at] = 0
	r.free = append(r.free, at)
	r.live--
	r.changed = true
}

// note counts what stands in a row, or takes it away.
func (r *run) note(at uint32, sign int) {
	x := *r.rows.at(at)
	if x == nil {
		return
	}
	if x.Outcome == Running {
		r.running += sign
	}
	if r.attempts == nil {
		r.attempts = map[int]int{}
	}
	if r.attempts[x.Attempt] += sign; r.attempts[x.Attempt] == 0 {
		delete(r.attempts, x.Attempt)
	}
	hash := hashTask(x.Environment, x.Task)
	if sign < 0 {
		r.byTask.drop(hash, at)
	}
	_, others := r.byTask.find(hash, func(row uint32) bool { return (*r.rows.at(row)).isOf(x.Environment, x.Task) })
	if !others && x.Task >= 0 {
		r.tasks += sign
	}
	if sign > 0 {
		r.byTask.add(hash, at)
	}
}

// mostAttempts is the largest attempt.
func (r *run) mostAttempts() (most int) {
	for n := range r.attempts {
		most = max(most, n)
	}
	return most
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
