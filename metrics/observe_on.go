//go:build !lens_off

package metrics

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/lensgo/lens/internal/seam"
)

// patience is how long a collection waits for callbacks. While it waits, no instrument can be made.
var patience = time.Second

// observed is a metric whose values come from its callback.
type observed struct {
	Metric
	group *group

	mu    sync.Mutex
	now   *run          // goes on
	left  []observation // of a run that was late, and not exported yet
	owing bool          // left is to be exported
}

// run is one call of a callback.
type run struct {
	done chan struct{}
	late bool // a collection has gone on without it; guarded by the mutex of the metric

	mu     sync.Mutex
	closed bool
	list   []observation // belongs to whoever has seen done
}

// observation is a value that a callback has said.
type observation struct {
	value float64
	set   *set
}

// start calls the callback, if it is not called already, and returns the call to wait for: none when it is late.
func (m *observed) start(ctx context.Context) *run {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil {
		m.now = &run{done: make(chan struct{})}
		go m.call(ctx, m.now) // ends with the callback, which only its author can end
	} else if m.now.late {
		return nil
	}
	return m.now
}

func (m *observed) call(ctx context.Context, r *run) {
	defer func() { // also when the callback has ended its goroutine
		list := r.close()
		if broken := recover(); broken != nil {
			warn(fault{brokenCallback, m.group.Name, m.Key}, broken)
			r.list, list = nil, nil
		}
		m.mu.Lock()
		m.now = nil
		if r.late {
			m.left, m.owing = list, true
		}
		m.mu.Unlock()
		close(r.done)
	}()
	m.Callback(ctx, func(v float64, labels ...Label) { m.add(r, v, labels) })
}

func (m *observed) add(r *run, v float64, labels []Label) {
	if !m.Kind.takes(v) {
		warn(fault{badValue, m.group.Name, m.Key}, v)
		return
	}
	s := m.group.set(labels)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.list = append(r.list, observation{v, s})
	}
}

func (r *run) close() []observation {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.list
}

// take returns what is to be exported: what r has observed, or when it is late what the one before has left.
func (m *observed) take(r *run) (list []observation, late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r != nil && m.now != r { // it has ended, and nobody writes to it any more
		m.left, m.owing = nil, false
		return r.list, false
	}
	if r != nil {
		r.late, late = true, true
	}
	if m.owing {
		list, m.left, m.owing = m.left, nil, false
	}
	return list, late
}

// watch is where the observable metrics of a group are observed.
type watch struct {
	mu      sync.Mutex // one move at a time
	stopped bool
	at      atomic.Pointer[post]
}

// post is the observable metrics of a group with one provider.
type post struct {
	source
	dead         atomic.Bool
	instruments  map[*observed]metric.Float64Observable
	registration metric.Registration
}

// observeAll lets every group be observed by the provider of the moment.
func observeAll() {
	for _, g := range groups() {
		g.observe()
	}
}

// observe lets the group be observed by the provider of the moment, once.
func (g *group) observe() {
	if len(g.observed) == 0 {
		return
	}
	if at := g.watch.at.Load(); at != nil && at.is(seam.MeterProvider()) {
		return
	}
	old, errs := g.move()
	old.leave()
	for key, err := range errs {
		warn(fault{uncreated, g.Name, key}, err)
	}
}

// move makes a post with the provider of the moment, and returns the one that it replaces. A provider that records nothing
// replaces none: telemetry that is shut down collects once more.
func (g *group) move() (old *post, errs map[string]error) {
	w := &g.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	now := currentSource()
	old = w.at.Load()
	if w.stopped || now.off() || old != nil && old.is(now.holder) {
		return nil, nil
	}
	if old != nil {
		old.dead.Store(true)
	}
	at := &post{source: now, instruments: map[*observed]metric.Float64Observable{}}
	errs = at.occupy(g)
	w.at.Store(at)
	return old, errs
}

// stop ends the observation of a group that is no more.
func (w *watch) stop() {
	w.mu.Lock()
	w.stopped = true
	old := w.at.Load()
	if old != nil {
		old.dead.Store(true)
	}
	w.mu.Unlock()
	old.leave()
}

// leave takes the callback from the provider, which has to wait for a collection that goes on.
func (p *post) leave() {
	defer func() { _ = recover() }()
	if p != nil && p.registration != nil {
		_ = p.registration.Unregister() // it is dead, whether the provider knows or not
	}
}

// occupy makes the instruments, and returns why there are none for which keys.
func (p *post) occupy(g *group) (errs map[string]error) {
	errs = map[string]error{}
	defer func() {
		if broken := recover(); broken != nil {
			errs[""] = fmt.Errorf("the provider panicked: %v", broken)
		}
	}()
	meter := p.provider.Meter(g.Name, metric.WithInstrumentationVersion(g.Version))
	var all []metric.Observable
	for key, m := range g.observed {
		instrument, err := m.create(meter)
		if err != nil {
			errs[key] = err
			continue
		}
		p.instruments[m] = instrument
		all = append(all, instrument)
	}
	registration, err := meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		p.collect(ctx, o)
		return nil // an error would cost the collection all other metrics
	}, all...)
	if err != nil {
		errs[""] = err
	}
	p.registration = registration
	return errs
}

// create makes the instrument of an observable metric.
func (m *observed) create(meter metric.Meter) (instrument metric.Float64Observable, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the provider panicked: %v", broken)
		}
	}()
	unit, about := metric.WithUnit(m.Unit), metric.WithDescription(m.Description)
	switch m.Kind {
	case ObservableCounter:
		return meter.Float64ObservableCounter(m.Name, unit, about)
	case ObservableUpDownCounter:
		return meter.Float64ObservableUpDownCounter(m.Name, unit, about)
	default:
		return meter.Float64ObservableGauge(m.Name, unit, about)
	}
}

// collect calls the callbacks, all at once, and exports what those say that are in time.
func (p *post) collect(ctx context.Context, o metric.Observer) {
	defer func() { _ = recover() }()
	if p.dead.Load() || p.holder == nil && seam.MeterProvider() != nil {
		return
	}
	runs := make(map[*observed]*run, len(p.instruments))
	for m := range p.instruments {
		runs[m] = m.start(ctx)
	}
	await(ctx, runs)
	for m, instrument := range p.instruments {
		list, late := m.take(runs[m])
		if late {
			warn(fault{lateCallback, m.group.Name, m.Key}, nil)
		}
		for _, v := range list {
			o.ObserveFloat64(instrument, v.value, v.set.observe...)
		}
	}
}

// await waits for runs, but not for ever: half of the time that ctx has left is for the export.
func await(ctx context.Context, runs map[*observed]*run) {
	limit := patience
	if end, bounded := ctx.Deadline(); bounded {
		limit = min(limit, time.Until(end)/2)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, r := range runs {
		if r == nil {
			continue
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		}
	}
}
