package series

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/store"
)

// Options bound what a model keeps in memory. The zero value is good.
type Options struct {
	MaxBytes  int64 // about, all together; 0 is 64 MB
	MaxSeries int   // of a metric of a run; 0 is DefaultMaxSeries
	MaxPoints int   // of a series; 0 is 480
}

// DefaultMaxSeries is how many series of a metric are shown.
const DefaultMaxSeries = 200

func (o Options) withDefaults() Options {
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), 64e6)
	o.MaxSeries = cmp.Or(max(o.MaxSeries, 0), DefaultMaxSeries)
	o.MaxPoints = max(cmp.Or(max(o.MaxPoints, 0), 480), leastPoints)
	return o
}

const (
	leastPoints = 16     // what a series keeps at least, however little memory there is
	metricCost  = 500    // bytes of a metric, about
	maxMetrics  = 2000   // of a run
	maxHidden   = 10_000 // series that are told apart though none is shown
	ahead       = int64(24 * time.Hour)
)

// Model is what the data points say. It is the [store.Digest] of the metrics of a store: Read, Add, Seal, Merge and Forget are the
// store's. Everything else may be called by any number of goroutines at any time.
type Model struct {
	o Options

	mu        sync.Mutex
	runs      map[string]*run
	series    map[uint64]*series
	bytes     int64
	clock     uint64 // counts Adds, to tell which run was quiet for longest
	oldest    uint64 // the first chunk that is still stored
	settled   uint64 // oldest, when the series were last gone through
	forgotten map[string]struct{}
	chunk     encoder // of the chunk that is being filled
}

var _ store.Digest = (*Model)(nil)

// run is the metrics of a run.
type run struct {
	id      string
	metrics map[metricKey]*metric
	touched uint64 // Model.clock when it got its latest sample
	bytes   int64
	other   *metric // of the metrics that are too many, which are not shown
	most    int     // points of a series; less than the options say when memory is short
}

type metricKey struct {
	name, unit string
	shape      Shape
}

// metric is the series that belong into one chart.
type metric struct {
	metricKey
	run         *run
	description string
	kind        Kind
	series      []*series // in the order of identity.compare
	hidden      map[uint64]struct{}
	problems    Problems
	first, last int64 // times of its samples
}

// NewModel makes an empty model.
func NewModel(o Options) *Model {
	return &Model{o: o.withDefaults(), runs: map[string]*run{}, series: map[uint64]*series{}, forgotten: map[string]struct{}{}, chunk: encoder{seq: 1}}
}

// Add takes what Read returned. See [store.Digest].
func (m *Model) Add(sb store.Batch, chunk, arrived uint64) {
	b, ok := sb.Content.(*batch)
	if !ok {
		return
	}
	limit := instant(arrived) + ahead
	m.addBroken(b.broken)
	for samples := b.samples; len(samples) > 0; {
		n := min(len(samples), lockedSamples)
		m.addSome(samples[:n], chunk, limit)
		samples = samples[n:]
	}
}

// lockedSamples is how many are taken before readers get their turn.
const lockedSamples = 512

func (m *Model) addBroken(list []brokenIn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range list {
		m.metricOf(&x.of.head).problems.Broken += x.n
		m.chunk.broken(&x.of.head, x.n)
	}
}

func (m *Model) addSome(samples []found, chunk uint64, limit int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	for i := range samples {
		f := &samples[i]
		if f.time <= 0 || f.time > limit {
			f.time = 0 // so that a restart does not need to know when it arrived
		}
		s, at := m.find(f.key, f.identify)
		if s != nil {
			m.chunk.sample(s, &f.sample)
		} else {
			m.chunk.hidden(&f.of.head, f.key, f.time)
		}
		m.take(s, at, &f.sample, chunk)
	}
}

// find returns the series of a key, or nil where its metric has too many. identify is called when it is not known yet.
func (m *Model) find(key uint64, identify func() identity) (*series, *metric) {
	if s, ok := m.series[key]; ok {
		return s, s.metric
	}
	d := identify()
	at := m.metricOf(&d.head)
	if m.bytes > m.o.MaxBytes {
		m.squeeze(at.run)
	}
	if len(at.series) >= m.o.MaxSeries || at == at.run.other || m.bytes > m.o.MaxBytes {
		if at != at.run.other {
			at.hide(key)
		}
		return nil, at
	}
	delete(at.hidden, key)
	s := &series{identity: d, key: key, shape: d.shape(), metric: at, firstChunk: noChunk}
	i, _ := slices.BinarySearchFunc(at.series, s, func(a, b *series) int { return a.compare(&b.identity) })
	at.series = slices.Insert(at.series, i, s)
	m.series[key] = s
	m.spend(at.run, d.cost())
	return s, at
}

// hide counts a series that is not shown.
func (at *metric) hide(key uint64) {
	if at.hidden == nil {
		at.hidden = map[uint64]struct{}{}
	}
	if len(at.hidden) < maxHidden {
		at.hidden[key] = struct{}{}
	}
}

const noChunk = ^uint64(0)

// metricOf finds the metric of a stream, or makes one. Where a run has too many, it is the one for all others.
func (m *Model) metricOf(d *head) *metric {
	r := m.runs[d.run]
	if r == nil {
		r = &run{id: d.run, metrics: map[metricKey]*metric{}, most: m.o.MaxPoints}
		r.other = &metric{run: r}
		m.runs[d.run] = r
	}
	k := metricKey{d.name, d.unit, d.shape()}
	at := r.metrics[k]
	if at == nil && len(r.metrics) >= maxMetrics {
		r.other.hide(mix(text(d.name) ^ mix(text(d.unit))))
		return r.other
	}
	if at == nil {
		at = &metric{metricKey: k, run: r, description: d.description, kind: d.kind}
		r.metrics[k] = at
		m.spend(r, metricCost)
	}
	return at
}

// take adds a sample to its series.
func (m *Model) take(s *series, at *metric, x *sample, chunk uint64) {
	m.clock++
	at.run.touched = m.clock
	if x.time <= 0 {
		at.problems.Untimed++
		return
	}
	if at.first == 0 || x.time < at.first {
		at.first = x.time
	}
	at.last = max(at.last, x.time)
	if s == nil {
		return
	}
	before := s.cost
	s.take(x, chunk, at.run.most)
	m.spend(at.run, s.cost-before)
	if m.bytes > m.o.MaxBytes {
		m.squeeze(at.run)
	}
}

func (m *Model) spend(r *run, n int64) {
	r.bytes += n
	m.bytes += n
}

// squeeze makes room: runs that were quiet for longest go, then the one that stays gets coarser.
func (m *Model) squeeze(keep *run) {
	for m.bytes > m.o.MaxBytes && len(m.runs) > 1 {
		var quiet *run
		for _, r := range m.runs {
			if r != keep && (quiet == nil || r.touched < quiet.touched) {
				quiet = r
			}
		}
		m.drop(quiet)
		if len(m.forgotten) < maxHidden {
			m.forgotten[quiet.id] = struct{}{}
		}
	}
	for m.bytes > m.o.MaxBytes && keep.most > leastPoints {
		keep.most = max(keep.most/2, leastPoints)
		for _, at := range keep.metrics {
			for _, s := range at.series {
				if len(s.points) > keep.most {
					before := s.cost
					s.coarsen(keep.most)
					m.spend(keep, s.cost-before)
				}
			}
		}
	}
}

// drop forgets a run.
func (m *Model) drop(r *run) {
	for _, at := range r.metrics {
		for _, s := range at.series {
			delete(m.series, s.key)
		}
	}
	delete(m.runs, r.id)
	m.bytes -= r.bytes
}

// Forget says that a chunk is gone, and those before it. See [store.Digest].
func (m *Model) Forget(removed store.Removed, _ []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.oldest = max(m.oldest, removed.Chunk+1)
}

// settle takes away what is in no stored chunk any more. Retention removes many chunks at a time, so it is done when somebody
// looks next.
func (m *Model) settle() {
	if m.settled == m.oldest {
		return
	}
	m.settled = m.oldest
	for _, r := range m.runs {
		for k, at := range r.metrics {
			at.series = slices.DeleteFunc(at.series, func(s *series) bool { return m.settleSeries(s) })
			if len(at.series) == 0 {
				delete(r.metrics, k)
				m.spend(r, -metricCost)
			}
		}
		if len(r.metrics) == 0 {
			m.drop(r)
		}
	}
}

// settleSeries is true when nothing is left of a series.
func (m *Model) settleSeries(s *series) bool {
	before := s.cost
	s.prune(m.oldest)
	m.spend(s.metric.run, s.cost-before)
	if s.lastChunk >= m.oldest {
		return false
	}
	delete(m.series, s.key)
	m.spend(s.metric.run, -s.identity.cost())
	return true
}
