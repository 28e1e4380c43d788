//go:build !lens_off

package metrics

import (
	"context"
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

// bound is an instrument of one provider.
type bound struct {
	holder   *metric.MeterProvider // where the provider was found; nil: it is the global one
	provider metric.MeterProvider

	// One of them is set, or none when there is nothing to record to.
	enabled func(context.Context) bool
	float   func(context.Context, float64, *set)
	int     func(context.Context, int64, *set)

	mu   sync.Mutex // one new set at a time
	sets atomic.Pointer[map[labels]*set]
}

// set is a set of attributes as the API wants it, made once so that recording allocates nothing.
type set struct {
	record []metric.RecordOption
	add    []metric.AddOption
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
	holder := seam.MeterProvider()
	if b := i.bound.Load(); b != nil && b.holder == holder && (holder != nil || same(b.provider, otel.GetMeterProvider())) {
		return b
	}
	return i.bind(holder)
}

func (i *instrument) bind(holder *metric.MeterProvider) *bound {
	i.mu.Lock()
	defer i.mu.Unlock()
	b := &bound{holder: holder}
	if holder != nil {
		b.provider = *holder
	} else {
		b.provider = otel.GetMeterProvider()
	}
	if old := i.bound.Load(); old != nil && old.holder == holder && same(old.provider, b.provider) {
		return old // another goroutine was first
	}
	if _, off := b.provider.(noop.MeterProvider); !off {
		i.create(b)
	}
	i.bound.Store(b)
	return b
}

// create makes the instrument. One that cannot be made is tried again with the next provider only.
func (i *instrument) create(b *bound) {
	defer func() { _ = recover() }()
	m := b.provider.Meter(scopeGym)
	unit, about := metric.WithUnit(i.unit), metric.WithDescription(i.about)
	switch i.kind {
	case kindHistogram:
		if h, err := m.Float64Histogram(i.name, unit, about, metric.WithExplicitBucketBoundaries(i.bounds...)); err == nil {
			b.enabled = h.Enabled
			b.float = func(ctx context.Context, v float64, s *set) { h.Record(ctx, v, s.record...) }
		}
	case kindCounter:
		if c, err := m.Int64Counter(i.name, unit, about); err == nil {
			b.enabled = c.Enabled
			b.int = func(ctx context.Context, v int64, s *set) { c.Add(ctx, v, s.add...) }
		}
	case kindUpDown:
		if c, err := m.Int64UpDownCounter(i.name, unit, about); err == nil {
			b.enabled = c.Enabled
			b.int = func(ctx context.Context, v int64, s *set) { c.Add(ctx, v, s.add...) }
		}
	case kindGauge:
		if g, err := m.Int64Gauge(i.name, unit, about); err == nil {
			b.enabled = g.Enabled
			b.int = func(ctx context.Context, v int64, s *set) { g.Record(ctx, v, s.record...) }
		}
	case kindRatio:
		if g, err := m.Float64Gauge(i.name, unit, about); err == nil {
			b.enabled = g.Enabled
			b.float = func(ctx context.Context, v float64, s *set) { g.Record(ctx, v, s.record...) }
		}
	}
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

// set returns the attributes of a sample. Readers take no lock: a new set replaces the whole map.
func (b *bound) set(l labels) *set {
	if sets := b.sets.Load(); sets != nil {
		if s := (*sets)[l]; s != nil {
			return s
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := newSet(l)
	next := map[labels]*set{}
	if sets := b.sets.Load(); sets != nil {
		if len(*sets) >= mostSets {
			return s
		}
		maps.Copy(next, *sets)
	}
	next[l] = s
	b.sets.Store(&next)
	return s
}

func newSet(l labels) *set {
	attrs := make([]attribute.KeyValue, 0, len(l))
	for _, a := range l {
		switch {
		case a.key == "":
		case a.isText:
			attrs = append(attrs, attribute.String(a.key, strings.ToValidUTF8(a.text, "\ufffd"))) // OTLP refuses a batch with other text
		default:
			attrs = append(attrs, attribute.Int64(a.key, a.number))
		}
	}
	o := metric.WithAttributeSet(attribute.NewSet(attrs...))
	return &set{record: []metric.RecordOption{o}, add: []metric.AddOption{o}}
}
