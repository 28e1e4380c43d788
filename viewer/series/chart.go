package series

import (
	"cmp"
	"math"
	"slices"
)

// Ask says which chart is wanted. Run, Name, Unit and Shape name the metric.
type Ask struct {
	Run, Name, Unit string
	Shape           Shape

	From, To int64 // points after From and not after To, unix nanoseconds; 0 is no bound
	Points   int   // of a line, at most; 0 is 240
	Lines    int   // at most; 0 is 8

	// By joins series into lines: "" gives each its own, [Together] all one, [Service] one a service, any other one a value of that
	// attribute. Rates are added, distributions joined. Values and quantiles cannot be, and keep a line a series.
	By string
}

// What series can be joined by, besides the keys of their attributes.
const (
	Together = "*"
	Service  = "service"
)

// Chart is a metric over time.
type Chart struct {
	Metric
	Interval int64 // nanoseconds that a point stands for at least; 0: points are as they came
	Lines    []Line
	Total    int     // lines there are
	Top      float64 // the highest bound of a histogram's buckets, above which nothing is told apart; NaN when there is none
}

// Line is one line of a chart, or the three of a distribution, or those of the quantiles of a summary.
type Line struct {
	Service, Instance string // "" where they differ
	Attributes        []Attribute
	Kind              Kind
	Series            int // that were joined
	Quantiles         []float64

	Time []int64 // unix nanoseconds

	// Values is one list a column, as long as Time, NaN where there is none: of a level the value; of a rate the increase a second; of a
	// distribution p50, p95, p99; of a summary its quantiles.
	Values [][]float64
	// Low and High are the least and the greatest value of an interval, of a level whose points were joined; else nil.
	Low, High []float64
	// Count is how many values a distribution or a summary is over, else nil. For cumulative summaries it counts from their start.
	Count []uint64
	// Increase is what a rate rose by, else nil.
	Increase []float64
}

// Chart returns a metric over time; ok is false when there is none of that name.
func (m *Model) Chart(a Ask) (chart Chart, ok bool) {
	a.Points = max(cmp.Or(a.Points, 240), 2)
	a.Lines = cmp.Or(a.Lines, 8)
	m.mu.Lock()
	m.settle()
	at, all := m.seriesOf(a)
	if at == nil {
		m.mu.Unlock()
		return Chart{}, false
	}
	chart = Chart{Metric: at.public(), Top: math.NaN()}
	m.mu.Unlock()
	groups := a.groups(all)
	chart.Total = len(groups)
	for _, g := range groups[:min(len(groups), a.Lines)] {
		parts := make([]part, 0, len(g))
		for _, s := range g {
			m.mu.Lock() // for the copying of one series at a time: a writer may be waiting
			p := s.part(a)
			m.mu.Unlock()
			parts = append(parts, p)
		}
		line, interval := a.line(parts)
		chart.Interval = max(chart.Interval, interval)
		chart.Lines = append(chart.Lines, line)
		if b := parts[0].bounds; parts[0].kind == Histogram && len(b) > 0 {
			chart.Top = greatest(chart.Top, b[len(b)-1])
		}
	}
	return chart, true
}

func (m *Model) seriesOf(a Ask) (*metric, []*series) {
	r := m.runs[a.Run]
	if r == nil {
		return nil, nil
	}
	at := r.metrics[metricKey{a.Name, a.Unit, a.Shape}]
	if at == nil {
		return nil, nil
	}
	return at, slices.Clone(at.series)
}

// part is a series as it was at one moment. Its identity never changes.
type part struct {
	*identity
	points []point
	step   int64
}

func (s *series) part(a Ask) part {
	from, _ := slices.BinarySearchFunc(s.points, a.From, func(p point, t int64) int { return cmp.Compare(p.t, t+1) })
	to := len(s.points)
	if a.To > 0 {
		to, _ = slices.BinarySearchFunc(s.points, a.To, func(p point, t int64) int { return cmp.Compare(p.t, t+1) })
	}
	return part{&s.identity, slices.Clone(s.points[min(from, to):to]), s.step}
}

// groupKey tells lines apart. Distributions of unlike buckets cannot be joined.
type groupKey struct {
	value  string
	has    bool
	kind   Kind
	bounds uint64
}

// groups puts series together, in the order of the first of each.
func (a *Ask) groups(all []*series) (groups [][]*series) {
	if a.By == "" || a.Shape == Level || a.Shape == Quantiles {
		for _, s := range all {
			groups = append(groups, []*series{s})
		}
		return groups
	}
	at := map[groupKey]int{}
	for _, s := range all {
		k := groupKey{kind: s.kind, bounds: finish(0, s.bounds)}
		k.value, k.has = a.value(&s.identity)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

func (a *Ask) value(d *identity) (value string, has bool) {
	switch a.By {
	case Together:
		return "", true
	case Service:
		return d.service, true
	}
	for _, x := range d.attributes {
		if x.Key == a.By {
			return x.Value, true
		}
	}
	return "", false
}

// label says what the joined series have in common.
func (a *Ask) label(parts []part) (l Line) {
	first := parts[0]
	l = Line{Service: first.service, Instance: first.instance, Kind: first.kind, Series: len(parts)}
	if first.kind == Summary {
		l.Quantiles = first.bounds
	}
	for _, x := range first.attributes {
		common := !slices.ContainsFunc(parts[1:], func(p part) bool { return !slices.Contains(p.attributes, x) })
		if common {
			l.Attributes = append(l.Attributes, x)
		}
	}
	for _, p := range parts[1:] {
		if p.service != l.Service {
			l.Service = ""
		}
		if p.instance != l.Instance {
			l.Instance = ""
		}
	}
	return l
}

// line draws series as one line, and returns the interval of its points.
func (a *Ask) line(parts []part) (l Line, interval int64) {
	l = a.label(parts)
	exponential := l.Kind == ExponentialHistogram
	if a.Shape == Rate {
		for i := range parts {
			parts[i].points = steady(parts[i].points)
		}
	}
	if len(parts) == 1 {
		p := parts[0]
		if interval = p.step; len(p.points) > a.Points {
			interval = stepFor(p.points, int64(a.Points))
			p.points = join(p.points, interval, a.Shape)
		}
		for i := range p.points {
			l.append(a.Shape, &p.points[i], p.points[i].rate(), interval > 0, p.bounds, exponential)
		}
		return l, interval
	}
	for _, p := range parts {
		interval = max(interval, p.step, usual(p.points), stepFor(p.points, int64(a.Points)))
	}
	interval = max(interval, stepFrom(interval))
	together(parts, interval, a.Shape, func(p *point, rate float64) {
		l.append(a.Shape, p, rate, true, parts[0].bounds, exponential)
	})
	return l, interval
}

// stepFor is the interval at which so many points are left.
func stepFor(points []point, most int64) int64 {
	if len(points) == 0 {
		return 0
	}
	length := points[len(points)-1].t - points[0].t
	step := stepFrom(length/most + 1)
	for length/step+2 > most && step < math.MaxInt64/2 {
		step = max(stepFrom(step+1), step+steps[len(steps)-1])
	}
	return step
}

// usual is the time between two points, as a rule: the median.
func usual(points []point) int64 {
	if len(points) < 2 {
		return 0
	}
	gaps := make([]int64, len(points)-1)
	for i := range gaps {
		gaps[i] = points[i+1].t - points[i].t
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// steady joins increases over a short time, as the first and the last of a process may be, with a neighbour: the rate of an instant would
// tower over all others. No increase gets lost.
func steady(points []point) []point {
	least := usual(points) / 4
	out := points[:0]
	var short *point // waits for the next
	for i := range points {
		p := points[i]
		if short != nil {
			p.merge(short, Rate)
			short = nil
		}
		switch {
		case p.dt == 0 || p.dt >= least:
			out = append(out, p)
		case i+1 < len(points):
			short = &p
		case len(out) > 0:
			out[len(out)-1].merge(&p, Rate)
		default:
			out = append(out, p)
		}
	}
	return out
}

// together joins series interval by interval: their rates are added, their distributions joined.
func together(parts []part, interval int64, shape Shape, each func(p *point, rate float64)) {
	for i := range parts {
		parts[i].points = join(parts[i].points, interval, shape)
	}
	for {
		next := int64(math.MaxInt64)
		for _, p := range parts {
			if len(p.points) > 0 {
				next = min(next, p.points[0].t/interval)
			}
		}
		if next == math.MaxInt64 {
			return
		}
		var sum point
		rate, some := 0.0, false
		for i := range parts {
			points := parts[i].points
			if len(points) == 0 || points[0].t/interval != next {
				continue
			}
			if r := points[0].rate(); !math.IsNaN(r) {
				rate += r
			}
			if !some {
				sum, some = points[0], true
			} else {
				sum.merge(&points[0], shape)
			}
			parts[i].points = points[1:]
		}
		each(&sum, rate)
	}
}

// rate is an increase a second, NaN when it is not known how long it took.
func (p *point) rate() float64 {
	if p.dt <= 0 {
		return math.NaN()
	}
	return p.v / (float64(p.dt) / 1e9)
}

// append adds a point.
func (l *Line) append(shape Shape, p *point, rate float64, joined bool, bounds []float64, exponential bool) {
	l.Time = append(l.Time, p.t)
	switch shape {
	case Level:
		l.value(0, p.v)
		if joined {
			l.Low, l.High = append(l.Low, p.lo), append(l.High, p.hi)
		}
	case Rate:
		l.value(0, rate)
		l.Increase = append(l.Increase, p.v)
	case Distribution:
		s := scaleOf{bounds: bounds, exponential: exponential, lo: p.lo, hi: p.hi}
		for i, q := range [...]float64{.5, .95, .99} {
			l.value(i, p.d.quantile(q, s))
		}
		l.Count = append(l.Count, p.n)
	case Quantiles:
		for i := range l.Quantiles {
			v := math.NaN()
			if i < len(p.q) && !math.IsNaN(p.v) {
				v = p.q[i]
			}
			l.value(i, v)
		}
		l.Count = append(l.Count, p.n)
	}
}

func (l *Line) value(column int, v float64) {
	for len(l.Values) <= column {
		l.Values = append(l.Values, nil)
	}
	l.Values[column] = append(l.Values[column], v)
}
