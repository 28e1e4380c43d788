package web

import (
	"fmt"
	"math"
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/series"
)

// Metrics is what a run has in metrics.
type Metrics struct {
	Run     *string     `json:"run"`
	Runs    []MetricRun `json:"runs"`
	Rows    []Metric    `json:"rows"`
	Next    *string     `json:"next"`
	Total   int         `json:"total"`
	More    int         `json:"more"`
	Problem *string     `json:"problem"`
}

// MetricRun is a run that has metrics.
type MetricRun struct {
	Run     string  `json:"run"`
	Metrics int     `json:"metrics"`
	Last    Instant `json:"last"`
}

// Metric is the series of a run that belong into one chart.
type Metric struct {
	Name        string   `json:"name"`
	Unit        string   `json:"unit"`
	Description string   `json:"description"`
	Kind        string   `json:"kind"`
	Shows       string   `json:"shows"`
	Series      int      `json:"series"`
	More        int      `json:"more"`
	Points      int      `json:"points"`
	Step        *int64   `json:"step_ns"`
	First       Instant  `json:"first"`
	Last        Instant  `json:"last"`
	Keys        []string `json:"keys"`
	Services    []string `json:"services"`
	Problems    []string `json:"problems"`
	Notes       []string `json:"notes"`
}

const maxMetricRuns = 50

// noMetrics stands in where there is no model.
var noMetrics = series.NewModel(series.Options{})

func (h *Handler) metrics() *series.Model {
	if h.o.Metrics == nil {
		return noMetrics
	}
	return h.o.Metrics
}

// getMetrics lists the metrics of a run; of the one with the latest point when none is named.
func (h *Handler) getMetrics(_ *http.Request, p *params) (any, error) {
	run := p.maybe("run")
	from, to := p.number("from", 0, 0, math.MaxInt64), p.number("to", 0, 0, math.MaxInt64)
	cursor, limit := p.text("cursor", maxParameter), p.number("limit", maxRows, 1, maxRows)
	if p.err != nil {
		return nil, p.err
	}
	m := h.metrics()
	out := &Metrics{Run: run}
	for _, r := range m.Runs() {
		if out.Run == nil {
			out.Run = new(r.ID)
		}
		if len(out.Runs) < maxMetricRuns {
			out.Runs = append(out.Runs, MetricRun{otlp.Text(r.ID), r.Metrics, Instant(r.Last)})
		}
	}
	if out.Run == nil {
		return out, nil
	}
	list := m.Metrics(*out.Run, from, to)
	page, next, err := pageOf(list, cursor, int(limit))
	if err != nil {
		return nil, err
	}
	for i := range page {
		out.Rows = append(out.Rows, metricOf(&page[i]))
	}
	r, _ := m.Run(*out.Run)
	out.Next, out.Total, out.More = next, len(list), r.More
	if m.Forgotten(*out.Run) {
		out.Problem = new("Some metrics of this run are stored but not in memory, which is bounded. They are in what is exported.")
	}
	return out, nil
}

func metricOf(m *series.Metric) Metric {
	out := Metric{Name: m.Name, Unit: m.Unit, Description: m.Description, Kind: m.Kind.String(), Shows: m.Shape.String(), Series: m.Series, More: m.More,
		Points: m.Points, First: Instant(m.First), Last: Instant(m.Last), Keys: m.Keys, Services: m.Services, Problems: problemsOfMetric(m), Notes: notesOfMetric(m)}
	if m.Step > 0 {
		out.Step = &m.Step
	}
	return out
}

// problemsOfMetric says in sentences what was odd about the points of a metric.
func problemsOfMetric(m *series.Metric) (list []string) {
	p := &m.Problems
	add := func(n int64, one, many, then string) { list = addSentence(list, n, one, many, then) }
	add(int64(m.More), "more series is", "more series are", fmt.Sprintf(" not shown: a metric keeps %d.", series.DefaultMaxSeries))
	add(p.NotFinite, "value is", "values are", " no finite number: a gap.")
	add(p.Twice, "point came", "points came", " twice, and count once.")
	add(p.Late, "point is", "points are", " older than the newest of their series, and change no total.")
	add(p.Backwards, "point was", "points were", " sent after a clock had been set back: what they added counts, its rate is unknown.")
	add(p.Untimed, "point has", "points have", " no time, or one more than a day ahead, and are not shown.")
	add(p.Broken, "histogram has", "histograms have", " buckets that do not fit their bounds, and are not shown.")
	return list
}

// notesOfMetric says what is worth knowing of a metric, and nothing to worry about.
func notesOfMetric(m *series.Metric) (list []string) {
	list = addSentence(list, m.Problems.Resets, "time", "times", " a counter began again from zero, as it does when a program starts again.")
	return addSentence(list, m.Problems.Older, "point is", "points are", " too old to be kept in memory.")
}

func addSentence(list []string, n int64, one, many, then string) []string {
	if n == 0 {
		return list
	}
	return append(list, count(n, one, many)+then)
}

// metricCount is how many metrics a run has, nil when that is not known.
func (h *Handler) metricCount(run string) *int {
	if h.o.Metrics == nil {
		return nil
	}
	r, _ := h.o.Metrics.Run(run)
	return &r.Metrics
}

func noMetric(name string) *Fault {
	return notFound(fmt.Sprintf("There is no metric %s in this run.", quote(clip(otlp.Text(name), 200))), "None of the data points in memory is of it.")
}
