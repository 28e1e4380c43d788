//go:build !lens_off

package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/lensgo/lens/internal/seam"
)

func init() { seam.WatchMeters(observeAll) }

// registry holds the groups. Readers take no lock: each change replaces the map.
var registry struct {
	mu     sync.Mutex // one change at a time
	groups atomic.Pointer[map[string]*group]
}

func groups() map[string]*group {
	if all := registry.groups.Load(); all != nil {
		return *all
	}
	return nil
}

// group is a registered Group.
type group struct {
	Group
	recorded map[string]recorded
	observed map[string]*observed
	values   lexicon
	sets     sets[wide]
	watch    watch
}

// recorded is a metric whose values come from Record.
type recorded struct {
	kind Kind
	*instrument
}

// errTaken marks the one registration problem that is no mistake of the declaration.
var errTaken = errors.New("the name is taken: choose another, or set Override to replace the group")

func register(g Group) error {
	if err := check(g); err != nil {
		return err
	}
	made := newGroup(g)
	old, err := replace(made)
	if err != nil {
		return err
	}
	if old != nil {
		old.watch.stop()
	}
	forget(g.Name)
	made.observe()
	return nil
}

// replace puts a group in its place, and returns the one that had it.
func replace(g *group) (old *group, err error) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	old = groups()[g.Name]
	if old != nil && !g.Override {
		return nil, fmt.Errorf("cannot register metric group %q: %w", g.Name, errTaken)
	}
	next := maps.Clone(groups())
	if next == nil {
		next = map[string]*group{}
	}
	next[g.Name] = g
	registry.groups.Store(&next)
	return old, nil
}

func mustRegister(g Group) {
	err := register(g)
	if errors.Is(err, errTaken) {
		log(slog.LevelError, "metrics: group left out, its values go to the group that has the name", slog.String("error", err.Error()))
		return
	}
	if err != nil {
		panic(err)
	}
}

func unregister(name string) error {
	registry.mu.Lock()
	old := groups()[name]
	if old == nil {
		registry.mu.Unlock()
		return fmt.Errorf("cannot unregister metric group %q: nobody has registered it", name)
	}
	next := maps.Clone(groups())
	delete(next, name)
	registry.groups.Store(&next)
	registry.mu.Unlock()
	old.watch.stop()
	return nil
}

func registeredGroups() map[string]Group {
	out := map[string]Group{}
	for name, g := range groups() {
		out[name] = clone(g.Group)
	}
	return out
}

func clone(g Group) Group {
	g.Metrics = slices.Clone(g.Metrics)
	for i := range g.Metrics {
		g.Metrics[i].Bounds = slices.Clone(g.Metrics[i].Bounds)
	}
	return g
}

// kindOf says with which instrument a kind is recorded.
var kindOf = map[Kind]kind{Gauge: kindLevel, Histogram: kindHistogram, Counter: kindSum, UpDownCounter: kindUpDownSum}

func newGroup(g Group) *group {
	made := &group{Group: clone(g), recorded: map[string]recorded{}, observed: map[string]*observed{}}
	for _, m := range made.Metrics {
		if m.Kind.observable() {
			made.observed[m.Key] = &observed{Metric: m, group: made}
			continue
		}
		made.recorded[m.Key] = recorded{m.Kind, newInstrument(spec{kind: kindOf[m.Kind], scope: g.Name, version: g.Version,
			name: m.Name, unit: m.Unit, about: m.Description, bounds: m.Bounds})}
	}
	return made
}

func record(ctx context.Context, name string, values Values, labels []Label) {
	if len(values) == 0 || silent() {
		return
	}
	g := groups()[name]
	if g == nil {
		warn(fault{what: unregistered, group: name}, nil)
		return
	}
	if ctx == nil {
		ctx = context.Background()
	}
	g.observe()
	s := g.set(labels)
	for key, v := range values {
		g.record(ctx, key, v, s)
	}
}

// silent reports whether telemetry is off, and so whether nothing is to be said either.
func silent() bool {
	holder := seam.MeterProvider()
	if holder == nil {
		return false
	}
	_, off := (*holder).(noop.MeterProvider)
	return off
}

func (g *group) record(ctx context.Context, key string, v float64, s *set) {
	r, ok := g.recorded[key]
	switch {
	case !ok && g.observed[key] != nil:
		warn(fault{observableKey, g.Name, key}, nil)
	case !ok:
		warn(fault{unknownKey, g.Name, key}, nil)
	case !r.kind.takes(v):
		warn(fault{badValue, g.Name, key}, v)
	default:
		if broken := r.record(ctx, v, s); broken != nil {
			warn(fault{failedRecord, g.Name, key}, broken)
		}
	}
}

// takes reports whether a value is one for the kind. One that is not finite would spoil every sum that it is added to.
func (k Kind) takes(v float64) bool {
	switch k {
	case Gauge, ObservableGauge:
		return true
	case Counter, ObservableCounter:
		return v >= 0 && !math.IsInf(v, 0)
	default:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
}

// record is float with a set that is there, and returns with what the provider panicked.
func (i *instrument) record(ctx context.Context, v float64, s *set) (broken any) {
	defer func() { broken = recover() }()
	if b := i.current(); b.float != nil && b.enabled(ctx) {
		b.float(ctx, v, s)
	}
	return nil
}

// wide is the labels of a call of Record, as the key of a map.
type wide [mostLabels]Label

const mostLabels = 8

// none is the set of what has no labels.
var none = newSet(nil)

// set returns the attributes of labels, bounded, and none when they cannot be.
func (g *group) set(labels []Label) *set {
	if len(labels) == 0 {
		return none
	}
	var w wide
	n := 0
	for _, l := range labels {
		if l == (Label{}) {
			continue
		}
		if n == mostLabels || !g.values.bound(&l) {
			warn(fault{what: badLabels, group: g.Name}, nil)
			return none
		}
		w[n] = l
		n++
	}
	return g.sets.get(w, w[:n])
}
