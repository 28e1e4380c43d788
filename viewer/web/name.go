package web

import (
	"net/http"
	"slices"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
)

// Name is what the spans of one name came to.
type Name struct {
	Group     string  `json:"group"`
	Name      string  `json:"name"`
	Spans     int64   `json:"spans"`
	SpanShare float64 `json:"span_share"`
	Bytes     int64   `json:"bytes"`
	ByteShare float64 `json:"byte_share"`
	P50       *int64  `json:"p50_ns"`
	P95       *int64  `json:"p95_ns"`
	P99       *int64  `json:"p99_ns"`
	Errors    int64   `json:"errors"`
}

func (h *Handler) getNames(_ *http.Request, p *params) (any, error) {
	a := p.ask()
	run, group := p.maybe("run"), p.maybe("group")
	if p.values.Has("group") && group == nil {
		group = new("") // spans without a group
	}
	if p.err != nil {
		return nil, p.err
	}
	return h.model.names(run, group, a)
}

func (s *summary) names(run, group *string, a ask) (*Rows[Name], error) {
	id := runs.Everything
	if run != nil {
		id = *run
	}
	list, ok := s.m.Names(id)
	if !ok {
		return nil, noRun(id)
	}
	if group != nil {
		list = slices.DeleteFunc(list, func(n runs.Name) bool { return n.Group != *group })
	}
	page, next, err := pageOf(list, a.cursor, a.limit)
	if err != nil {
		return nil, err
	}
	out := &Rows[Name]{Next: next, Total: new(len(list))}
	for i := range page {
		n := &page[i]
		out.Rows = append(out.Rows, Name{Group: clip(otlp.Text(n.Group), 200), Name: clip(otlp.Text(n.Name), 1000), Spans: n.Spans, SpanShare: n.SpanShare, Bytes: n.Bytes,
			ByteShare: n.ByteShare, P50: overSome(n.N, n.P50), P95: overSome(n.N, n.P95), P99: overSome(n.N, n.P99), Errors: n.Errors})
	}
	return out, nil
}
