package web

import (
	"math"
	"net/http"
	"strconv"

	"github.com/lensgo/lens/viewer/series"
)

// Chart is a metric over time.
type Chart struct {
	Metric   Metric   `json:"metric"`
	By       string   `json:"by"`
	Start    *Instant `json:"start"`
	Interval *int64   `json:"interval_ns"`
	Top      *float64 `json:"top"`
	Lines    []Line   `json:"lines"`
	Total    int      `json:"total"`
}

// Line is one line of a chart, or several that belong together.
type Line struct {
	Service    string       `json:"service"`
	Instance   string       `json:"instance"`
	Attributes []SeriesPair `json:"attributes"`
	Kind       string       `json:"kind"`
	Series     int          `json:"series"`
	Columns    []string     `json:"columns"`
	Time       []int64      `json:"t_ns"`
	Values     [][]*float64 `json:"values"`
	Low        *[]*float64  `json:"low"`
	High       *[]*float64  `json:"high"`
	Counts     *[]uint64    `json:"counts"`
	Increases  *[]*float64  `json:"increases"`
}

// SeriesPair is an attribute of a series.
type SeriesPair struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

const (
	maxChartLines  = 50
	maxChartPoints = 1000
)

// getChart answers with the points of a metric. Of several with one name it is the first in the list, unless unit and shows tell which.
func (h *Handler) getChart(_ *http.Request, p *params) (any, error) {
	a := series.Ask{Name: p.text("name", maxFilter), Unit: p.text("unit", maxParameter), By: p.text("by", maxParameter),
		From: p.number("from", 0, 0, math.MaxInt64), To: p.number("to", 0, 0, math.MaxInt64),
		Points: int(p.number("points", 240, 2, maxChartPoints)), Lines: int(p.number("lines", 8, 1, maxChartLines))}
	run := p.maybe("run")
	shows := p.oneOf("shows", "", "value", "rate", "distribution", "quantiles")
	if p.err == nil && a.Name == "" {
		p.wrong("name", "", "It must be the name of a metric.")
	}
	if p.err != nil {
		return nil, p.err
	}
	if run != nil {
		a.Run = *run
	}
	m := h.metrics()
	if !choose(m, &a, p.values.Has("unit"), shows) {
		return nil, noMetric(a.Name)
	}
	c, ok := m.Chart(a)
	if !ok {
		return nil, noMetric(a.Name)
	}
	return chartOf(&c, a.By), nil
}

// choose completes what is asked for by what there is.
func choose(m *series.Model, a *series.Ask, unit bool, shows string) bool {
	for _, x := range m.Metrics(a.Run, 0, 0) {
		if x.Name == a.Name && (!unit || x.Unit == a.Unit) && (shows == "" || x.Shape.String() == shows) {
			a.Unit, a.Shape = x.Unit, x.Shape
			return true
		}
	}
	return false
}

func chartOf(c *series.Chart, by string) *Chart {
	out := &Chart{Metric: metricOf(&c.Metric), By: by, Total: c.Total, Top: finite(c.Top)}
	if c.Interval > 0 {
		out.Interval = &c.Interval
	}
	start := int64(math.MaxInt64)
	for _, l := range c.Lines {
		if len(l.Time) > 0 {
			start = min(start, l.Time[0])
		}
	}
	if start < math.MaxInt64 {
		out.Start = new(Instant(start))
	}
	for i := range c.Lines {
		out.Lines = append(out.Lines, lineOf(&c.Lines[i], c.Shape, start))
	}
	return out
}

func lineOf(l *series.Line, shape series.Shape, start int64) Line {
	out := Line{Service: l.Service, Instance: l.Instance, Kind: l.Kind.String(), Series: l.Series, Columns: columnsOf(shape, l.Quantiles)}
	for _, a := range l.Attributes {
		out.Attributes = append(out.Attributes, SeriesPair{a.Key, a.Value})
	}
	for _, t := range l.Time {
		out.Time = append(out.Time, t-start)
	}
	for _, v := range l.Values {
		out.Values = append(out.Values, *numbersOf(v))
	}
	if l.Low != nil {
		out.Low, out.High = numbersOf(l.Low), numbersOf(l.High)
	}
	if l.Count != nil {
		out.Counts = &l.Count
	}
	if l.Increase != nil {
		out.Increases = numbersOf(l.Increase)
	}
	return out
}

// columnsOf names the values of a line.
func columnsOf(shape series.Shape, quantiles []float64) []string {
	switch shape {
	case series.Rate:
		return []string{"per_s"}
	case series.Distribution:
		return []string{"p50", "p95", "p99"}
	case series.Quantiles:
		var names []string
		for _, q := range quantiles {
			names = append(names, "p"+strconv.FormatFloat(math.Round(q*1e6)/1e4, 'f', -1, 64))
		}
		return names
	}
	return []string{"value"}
}

// numbersOf is null where there is no number.
func numbersOf(list []float64) *[]*float64 {
	out := make([]*float64, len(list))
	for i, v := range list {
		out[i] = finite(v)
	}
	return &out
}
