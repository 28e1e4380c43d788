package runs

// run is the writer's side of a run.
type run struct {
	id       string
	number   uint32
	rows     vec[*Rollout] // nil: free
	seqs     []uint32      // of the chunk that a row was last written to
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
	*r.rows.edit(at) = x
	r.changed = true
}

// drop frees a row.
func (r *run) drop(at uint32) {
	*r.rows.edit(at) = nil
	r.seqs[at] = 0
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
