package web

import (
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// Group is what a span group emitted.
type Group struct {
	Group     string  `json:"group"`
	Namespace string  `json:"namespace"`
	Spans     int64   `json:"spans"`
	SpanShare float64 `json:"span_share"`
	OverTime  Series  `json:"over_time"`
	PerSecond float64 `json:"per_s"`
	Bytes     int64   `json:"bytes"`
	ByteShare float64 `json:"byte_share"`
	P50       *int64  `json:"p50_ns"`
	P95       *int64  `json:"p95_ns"`
	P99       *int64  `json:"p99_ns"`
	Errors    int64   `json:"errors"`
	Names     int     `json:"names"`
}

// Groups is the table of groups.
type Groups struct {
	Run             *string    `json:"run"`
	Spans           int64      `json:"spans"`
	Bytes           int64      `json:"bytes"`
	StoredBytes     *int64     `json:"stored_bytes"`
	Rollouts        int        `json:"rollouts"`
	BytesPerRollout *int64     `json:"bytes_per_rollout"`
	Open            *int64     `json:"open"`
	Rows            []Group    `json:"rows"`
	Total           GroupTotal `json:"total"`
}

// GroupTotal sums the table of groups.
type GroupTotal struct {
	Spans     int64   `json:"spans"`
	PerSecond float64 `json:"per_s"`
	Bytes     int64   `json:"bytes"`
	Errors    int64   `json:"errors"`
	Names     int     `json:"names"`
}

func (h *Handler) getGroups(_ *http.Request, p *params) (any, error) {
	run := p.maybe("run")
	if p.err != nil {
		return nil, p.err
	}
	g, err := h.model.groups(run)
	if err == nil && (run == nil || g.Spans > 0 && g.Spans == h.model.m.Totals().Spans) { // chunks hold spans of all runs together
		g.StoredBytes = new(h.o.Store.Stats().Kinds[store.Traces].Bytes)
	}
	return g, err
}

func (s *summary) groups(run *string) (*Groups, error) {
	id := runs.Everything
	if run != nil {
		id = *run
	}
	list, ok := s.m.Groups(id)
	if !ok {
		return nil, noRun(id)
	}
	names, _ := s.m.Names(id)
	out := &Groups{Run: run, Total: GroupTotal{Names: len(names)}}
	now, open := s.now(), int64(0)
	for i := range list {
		g := &list[i]
		row := Group{Group: clip(otlp.Text(g.Group), 200), Namespace: clip(otlp.Text(g.Namespace), 200), Spans: g.Spans, SpanShare: g.SpanShare, OverTime: seriesOf(g.OverTime),
			PerSecond: g.PerSecond(now), Bytes: g.Bytes, ByteShare: g.ByteShare, P50: overSome(g.N, g.P50), P95: overSome(g.N, g.P95), P99: overSome(g.N, g.P99),
			Errors: g.Errors, Names: g.Names}
		open += g.Open
		out.Total.Spans += g.Spans
		out.Total.Bytes += g.Bytes
		out.Total.Errors += g.Errors
		out.Total.PerSecond += row.PerSecond
		if len(out.Rows) < maxRows {
			out.Rows = append(out.Rows, row)
		}
	}
	out.Spans, out.Bytes, out.Open = out.Total.Spans, out.Total.Bytes, &open
	if run == nil {
		runsList, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
		for i := range runsList.Rows {
			out.Rollouts += runsList.Rows[i].Counts.Rollouts
		}
	} else if r := s.outline(id); r != nil {
		out.Rollouts = r.Rollouts
	}
	if out.Rollouts > 0 {
		out.BytesPerRollout = new(out.Bytes / int64(out.Rollouts))
	}
	return out, nil
}
