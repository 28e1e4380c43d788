package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

const (
	viewsKept = 8
	viewBytes = 96 << 20 // OTLP bytes of all kept views together
	viewAge   = 30 * time.Second
)

// views keeps the traces that were asked for last, laid out: a page of spans must not cost the whole trace again.
type views struct {
	store *store.Store
	now   func() time.Time
	lay   func(*store.Trace) *view

	work  sync.WaitGroup // Add is called under mu
	mu    sync.Mutex
	ended bool
	kept  []*keptView // the last used last
	timer *time.Timer
}

type keptView struct {
	id     otlp.TraceID
	at     time.Time
	change change
	bytes  int           // 0 while it is read
	ready  chan struct{} // closed when the rest is set
	view   *view
	err    error
}

// change tells states of the store apart.
type change struct{ taken, removed int64 }

func (x *views) change() change {
	s := x.store.Stats()
	return change{s.Taken, s.RemovedChunks}
}

// get returns a trace as it is now, or, when the caller asks for a version that is still kept, as it was then. Callers
// that ask at the same time share the work.
func (x *views) get(ctx context.Context, id otlp.TraceID, version string) (*view, error) {
	now := x.change()
	x.mu.Lock()
	if x.ended {
		x.mu.Unlock()
		return nil, errClosing
	}
	k := x.find(id)
	if k != nil && !x.fits(k, now, version) {
		x.drop(k)
		k = nil
	}
	if k == nil {
		k = &keptView{id: id, ready: make(chan struct{}), change: now, at: x.now()}
		x.kept = append(x.kept, k)
		x.work.Go(func() { x.load(k) })
	}
	x.mu.Unlock()
	select {
	case <-k.ready:
		return k.view, k.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load reads and lays out; it ends by itself, also when nobody waits any more.
func (x *views) load(k *keptView) {
	t, err := x.store.Trace(k.id)
	if err == nil {
		k.view = x.lay(t)
		k.view.open = k.view.open && !quiet(x.now(), k.view.end)
	}
	k.err = err
	close(k.ready)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.drop(k)
	} else {
		k.bytes = len(t.OTLP)
	}
	x.trim()
}

// find returns the kept view and makes it the last used one.
func (x *views) find(id otlp.TraceID) *keptView {
	for i, k := range x.kept {
		if k.id == id {
			x.kept = append(append(x.kept[:i:i], x.kept[i+1:]...), k)
			return k
		}
	}
	return nil
}

func (x *views) fits(k *keptView, now change, version string) bool {
	if k.change == now {
		return true
	}
	select {
	case <-k.ready:
		return k.err == nil && k.view.version == version && x.now().Sub(k.at) < viewAge
	default:
		return false // began before the latest request
	}
}

func (x *views) drop(k *keptView) {
	for i := range x.kept {
		if x.kept[i] == k {
			x.kept = append(x.kept[:i:i], x.kept[i+1:]...)
			return
		}
	}
}

// trim lets the least used go, and those that nobody asked for in a while: memory is for those who look.
func (x *views) trim() {
	total := 0
	for i, k := range slices.Backward(x.kept) {
		total += k.bytes
		if old := x.now().Sub(k.at) >= 4*viewAge; old || i < len(x.kept)-1 && (total > viewBytes || len(x.kept)-i > viewsKept) {
			total -= k.bytes
			x.drop(k)
		}
	}
	if x.timer != nil {
		x.timer.Stop()
		x.timer = nil
	}
	if len(x.kept) > 0 {
		x.timer = time.AfterFunc(4*viewAge, func() {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.trim()
		})
	}
}

func (x *views) close() {
	x.mu.Lock()
	x.ended = true
	x.mu.Unlock()
	x.work.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept = nil
	x.trim()
}

var errClosing = &Fault{Status: http.StatusServiceUnavailable, Code: "closing", What: "Lens is closing."}

// view is the trace that a request names in its path.
func (h *Handler) view(r *http.Request, p *params) (*view, error) {
	id := p.trace("trace", r.PathValue("trace"))
	at := p.number("at", 0, 0, 1<<40)
	version := p.text("version", 64)
	if p.err != nil {
		return nil, p.err
	}
	return h.traceOf(r.Context(), id, at, version)
}

func (h *Handler) traceOf(ctx context.Context, id otlp.TraceID, at int64, version string) (*view, error) {
	v, err := h.views.get(ctx, id, version)
	if errors.Is(err, store.ErrNotFound) {
		return nil, h.missing(id, at)
	}
	return v, err
}

// missing says why a trace is not here: links outlive what they lead to.
func (h *Handler) missing(id otlp.TraceID, at int64) *Fault {
	s := h.o.Store.Stats()
	if at > 0 && !s.Oldest.IsZero() && at < s.Oldest.Unix() {
		began := time.Unix(at, 0).UTC().Format("15:04 on Jan 2, 2006")
		return &Fault{Status: http.StatusGone, Code: "removed", What: "This trace is no longer stored.",
			Why: "It began at " + began + " (UTC). What is stored begins at " + s.Oldest.UTC().Format("15:04 on Jan 2, 2006") + ".",
			Now: "Keep more with --retain.", Run: h.model.runAt(at)}
	}
	f := notFound("There is no trace "+id.String()+".", "It was not received here.")
	if s.RemovedChunks > 0 {
		f.Why = "It was not received here, or was removed to keep the store in its bounds."
	}
	f.Now = "Spans appear a few seconds after they end. Look at the address again if it was copied."
	return f
}
