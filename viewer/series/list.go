package series

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Metric is what a run has of one name, unit and shape.
type Metric struct {
	Name, Unit, Description string
	Shape                   Shape
	Kind                    Kind // of its first series

	Series   int // that can be shown
	More     int // that are too many, and are not
	Points   int
	Step     int64    // nanoseconds of the longest interval whose points were joined; 0: all are as they came
	First    int64    // time of its earliest and latest point, unix nanoseconds
	Last     int64    //
	Keys     []string // of its attributes, by which it can be split, sorted; at most 32
	Services []string // sorted, at most 32
	Problems Problems
}

// Run is a run that has metrics.
type Run struct {
	ID      string
	Metrics int
	More    int   // metrics that are too many, and are not shown
	Last    int64 // time of its latest point, unix nanoseconds
}

// Runs returns the runs that have metrics, the one with the latest point first.
func (m *Model) Runs() []Run {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	list := make([]Run, 0, len(m.runs))
	for _, r := range m.runs {
		list = append(list, r.public())
	}
	slices.SortFunc(list, func(a, b Run) int { return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.ID, b.ID)) })
	return list
}

func (r *run) public() Run {
	out := Run{ID: r.id, Metrics: len(r.metrics), More: len(r.other.hidden)}
	for _, at := range r.metrics {
		out.Last = max(out.Last, at.last)
	}
	return out
}

// Run returns what [Model.Runs] says of one run; ok is false when it has no metrics.
func (m *Model) Run(id string) (out Run, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	r, ok := m.runs[id]
	if !ok {
		return Run{ID: id}, false
	}
	return r.public(), true
}

// Forgotten reports whether a run had metrics that went for lack of memory. They are stored still, and exported.
func (m *Model) Forgotten(run string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, gone := m.forgotten[run]
	return gone
}

// Metrics returns the metrics of a run that have a point after from and not after to (unix nanoseconds; 0 is no bound): those of Gym
// first, then those of GenAI, then the rest, each by name.
func (m *Model) Metrics(run string, from, to int64) []Metric {
	m.mu.Lock()
	m.settle()
	var found []*metric
	if r := m.runs[run]; r != nil {
		for _, at := range r.metrics {
			found = append(found, at)
		}
	}
	m.mu.Unlock()
	list := make([]Metric, 0, len(found))
	for _, at := range found {
		m.mu.Lock() // for one at a time: a writer may be waiting
		if at.last > from && (to == 0 || at.first <= to) {
			list = append(list, at.public())
		}
		m.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b Metric) int {
		return cmp.Or(cmp.Compare(rank(a.Name), rank(b.Name)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Shape, b.Shape))
	})
	return list
}

// rank puts names of this house before others.
func rank(name string) int {
	switch {
	case strings.HasPrefix(name, "gym."):
		return 0
	case strings.HasPrefix(name, "gen_ai."):
		return 1
	}
	return 2
}

// maxKeys bounds what a metric tells of its attributes and services.
const maxKeys = 32

func (at *metric) public() Metric {
	out := Metric{Name: at.name, Unit: at.unit, Description: at.description, Shape: at.shape, Kind: at.kind,
		Series: len(at.series), More: len(at.hidden), First: at.first, Last: at.last, Problems: at.problems}
	keys, services := map[string]struct{}{}, map[string]struct{}{}
	first := int64(math.MaxInt64)
	for _, s := range at.series {
		out.Points += len(s.points)
		if len(s.points) > 0 {
			first = min(first, s.points[0].t)
		}
		out.Step = max(out.Step, s.step)
		services[s.service] = struct{}{}
		for _, a := range s.attributes {
			keys[a.Key] = struct{}{}
		}
	}
	if first < math.MaxInt64 { // retention has moved it
		out.First = first
	}
	out.Keys, out.Services = sorted(keys), sorted(services)
	return out
}

func sorted(set map[string]struct{}) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list[:min(len(list), maxKeys)]
}
