//go:build !lens_off

package metrics

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/lensgo/lens/internal/seam"
)

// mostSets is how many sets of attributes an instrument remembers. Above it each sample makes its own anew; the SDK has a
// bound for how many it keeps apart.
const mostSets = 1000

// instrument is one instrument, whoever the provider is.
type instrument struct {
	spec
	mu    sync.Mutex // one binding at a time
	bound atomic.Pointer[bound]
}

// source is a provider and where it was found.
type source struct {
	holder   *metric.MeterProvider // nil: it is the global one
	provider metric.MeterProvider
}

// currentSource is the provider of the moment.
func currentSource() source {
	if holder := seam.MeterProvider(); holder != nil {
		return source{holder, *holder}
	}
	return source{nil, otel.GetMeterProvider()}
}

// is reports whether the provider of the moment is still this one.
func (s source) is(holder *metric.MeterProvider) bool {
	return s.holder == holder && (holder != nil || same(s.provider, otel.GetMeterProvider()))
}

// off reports whether the provider is the one that records nothing.
func (s source) off() bool {
	_, off := s.provider.(noop.MeterProvider)
	return off
}

// bound is an instrument of one provider.
type bound struct {
	source

	// One of them is set, or none when there is nothing to record to.
	enabled func(context.Context) bool
	float   func(context.Context, float64, *set)
	int     func(context.Context, int64, *set)

	sets sets[labels]
}

// sets remembers sets of attributes by their labels.
type sets[K comparable] struct {
	mu  sync.Mutex // one new set at a time
	all atomic.Pointer[map[K]*set]
}

// set is a set of attributes as the API wants it, made once so that recording allocates nothing.
type set struct {
	record  []metric.RecordOption
	add     []metric.AddOption
	observe []metric.ObserveOption
}

func newInstrument(s spec) *instrument { return &instrument{spec: s} }

// on reports whether a sample would be recorded, for call sites whose samples cost something.
func (i *instrument) on(ctx context.Context) (on bool) {
	defer func() { _ = recover() }()
	b := i.current()
	return b.enabled != nil && b.enabled(ctx)
}

func (i *instrument) float(ctx context.Context, v float64, l labels) {
	defer func() { _ = recover() }() // a provider that breaks is none of the caller's business
	if b := i.current(); b.float != nil && b.enabled(ctx) {
		b.float(ctx, v, b.set(l))
	}
}

func (i *instrument) int(ctx context.Context, v int64, l labels) {
	defer func() { _ = recover() }()
	if b := i.current(); b.int != nil && b.enabled(ctx) {
		b.int(ctx, v, b.set(l))
	}
}

// current returns the instrument of the provider of the moment.
func (i *instrument) current() *bound {
	if b := i.bound.Load(); b != nil && b.is(seam.MeterProvider()) {
		return b
	}
	b, err := i.bind()
	if err != nil {
		warn(fault{what: uncreated, group: i.group(), key: i.name}, err)
	}
	return b
}

func (i *instrument) group() string {
	if i.scope == "" {
		return scopeGym
	}
	return i.scope
}

func (i *instrument) bind() (*bound, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	b := &bound{source: currentSource()}
	if old := i.bound.Load(); old != nil && old.holder == b.holder && same(old.provider, b.provider) {
		return old, nil // another goroutine was first
	}
	var err error
	if !b.off() {
		err = i.create(b)
	}
	i.bound.Store(b)
	return b, err
}

// create makes the instrument. One that cannot be made is tried again with the next provider only.
func (i *instrument) create(b *bound) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the provider panicked: %v", broken)
		}
	}()
	m := b.provider.Meter(i.group(), metric.WithInstrumentationVersion(i.version))
	if i.kind == kindHistogram {
		return i.createHistogram(m, b)
	}
	unit, about := metric.WithUnit(i.unit), metric.WithDescription(i.about)
	switch i.kind {
	case kindCounter:
		c, err := m.Int64Counter(i.name, unit, about)
		if err != nil {
			return err
		}
		b.enabled, b.int = c.Enabled, func(ctx context.Context, v int64, s *set) { c.Add(ctx, v, s.add...) }
	case kindUpDown:
		c, err := m.Int64UpDownCounter(i.name, unit, about)
		if err != nil {
			return err
		}
		b.enabled, b.int = c.Enabled, func(ctx context.Context, v int64, s *set) { c.Add(ctx, v, s.add...) }
	case kindGauge:
		g, err := m.Int64Gauge(i.name, unit, about)
		if err != nil {
			return err
		}
		b.enabled, b.int = g.Enabled, func(ctx context.Context, v int64, s *set) { g.Record(ctx, v, s.record...) }
	case kindLevel:
		g, err := m.Float64Gauge(i.name, unit, about)
		if err != nil {
			return err
		}
		b.enabled, b.float = g.Enabled, func(ctx context.Context, v float64, s *set) { g.Record(ctx, v, s.record...) }
	case kindSum:
		c, err := m.Float64Counter(i.name, unit, about)
		if err != nil {
			return err
		}
		b.enabled, b.float = c.Enabled, func(ctx context.Context, v float64, s *set) { c.Add(ctx, v, s.add...) }
	case kindUpDownSum:
		c, err := m.Float64UpDownCounter(i.name, unit, about)
		if err != nil {
			return err
		}
		b.enabled, b.float = c.Enabled, func(ctx context.Context, v float64, s *set) { c.Add(ctx, v, s.add...) }
	}
	return nil
}

func (i *instrument) createHistogram(m metric.Meter, b *bound) error {
	options := []metric.Float64HistogramOption{metric.WithUnit(i.unit), metric.WithDescription(i.about)}
	if i.bounds != nil {
		options = append(options, metric.WithExplicitBucketBoundaries(i.bounds...))
	}
	h, err := m.Float64Histogram(i.name, options...)
	if err != nil {
		return err
	}
	b.enabled, b.float = h.Enabled, func(ctx context.Context, v float64, s *set) { h.Record(ctx, v, s.record...) }
	return nil
}

// same compares providers. Those of a type that cannot be compared count as the same: there is one of them.
func same(a, b metric.MeterProvider) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = reflect.TypeOf(a) == reflect.TypeOf(b)
		}
	}()
	return a == b
}

func (b *bound) set(l labels) *set { return b.sets.get(l, l[:]) }

// get returns the set of a key, which is these labels. Readers take no lock: a new set replaces the whole map.
func (s *sets[K]) get(key K, l []Label) *set {
	if all := s.all.Load(); all != nil {
		if known := (*all)[key]; known != nil {
			return known
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	made := newSet(l)
	next := map[K]*set{}
	if all := s.all.Load(); all != nil {
		if len(*all) >= mostSets {
			return made
		}
		maps.Copy(next, *all)
	}
	next[key] = made
	s.all.Store(&next)
	return made
}

func newSet(l []Label) *set {
	attrs := make([]attribute.KeyValue, 0, len(l))
	for _, a := range l {
		switch {
		case a.key == "":
		case a.kind == labelNumber:
			attrs = append(attrs, attribute.Int64(a.key, a.number))
		case a.kind == labelBool:
			attrs = append(attrs, attribute.Bool(a.key, a.number != 0))
		default:
			attrs = append(attrs, attribute.String(a.key, strings.ToValidUTF8(a.text, "\ufffd"))) // OTLP refuses a batch with other text
		}
	}
	o := metric.WithAttributeSet(attribute.NewSet(attrs...))
	return &set{record: []metric.RecordOption{o}, add: []metric.AddOption{o}, observe: []metric.ObserveOption{o}}
}
