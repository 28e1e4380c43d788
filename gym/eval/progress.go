package eval

import (
	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/rollout"
)

// Progress is how far a run is.
type Progress struct {
	Run string // the nemo.run.id that its spans carry
	rollout.Progress
	Spec string // which span groups were asked for
	// Done: every server has stopped, and every span that could be delivered was. What still waits is without a result.
	Done bool
}

// watch is told by the collector how far it is.
func (r *run) watch(p rollout.Progress) { r.tell(p, false) }

// tell hands on how far the run is, when somebody wants to know and the run has a name.
func (r *run) tell(p rollout.Progress, done bool) {
	if r.Watch == nil || r.id == "" {
		return
	}
	r.last = p
	r.Watch(Progress{Run: r.id, Progress: p, Spec: lens.CurrentState().Spec, Done: done})
}
