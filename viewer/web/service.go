package web

import (
	"net/http"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// Service is a program without rollouts.
type Service struct {
	Service   string  `json:"service"`
	Runtime   *string `json:"runtime"`
	Traces    int64   `json:"traces"`
	PerMin    float64 `json:"traces_per_min"`
	OverTime  Series  `json:"over_time"`
	Spans     int64   `json:"spans"`
	Errors    int64   `json:"errors"`
	ErrorRate float64 `json:"error_rate"`
	P50       *int64  `json:"p50_ns"`
	P95       *int64  `json:"p95_ns"`
}

// Services is the list of programs without rollouts.
type Services struct {
	Rows  []Service `json:"rows"`
	Next  *string   `json:"next"`
	Since int64     `json:"since_ns"`
	Total int       `json:"total"`
}

func (h *Handler) getServices(_ *http.Request, p *params) (any, error) {
	since := p.number("since_ns", int64(time.Hour), 1, maxGap)
	if p.err != nil {
		return nil, p.err
	}
	return h.model.services(since), nil
}

func (s *summary) services(since int64) *Services {
	now := s.now()
	from := time.Unix(0, max(now.UnixNano()-since, 0))
	list := s.m.Services(from)
	out := &Services{Since: since, Total: len(list)}
	for _, x := range list[:min(len(list), maxRows)] {
		took := max(min(now.UnixNano()-int64(x.OverTime.Start), since), int64(time.Minute)) // of a program that has just begun: since then
		row := Service{Service: otlp.Text(x.Name), Traces: int64(x.Traces), PerMin: float64(x.Traces) / (float64(took) / float64(time.Minute)),
			OverTime: seriesOf(x.OverTime), Spans: x.Spans, Errors: x.Errors, P50: overSome(int64(x.Roots.N), x.Roots.P50), P95: overSome(int64(x.Roots.N), x.Roots.P95)}
		if x.Runtime != "" {
			row.Runtime = new(clip(otlp.Text(x.Runtime), 100))
		}
		if x.Spans > 0 {
			row.ErrorRate = float64(x.Errors) / float64(x.Spans)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
