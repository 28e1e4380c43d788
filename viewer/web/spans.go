package web

import (
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
)

// Sparse is a value of a row that most rows do not have: [row, value].
type Sparse [2]any

// Spans is a page of rows of a trace, in columns.
type Spans struct {
	Trace    otlp.TraceID  `json:"trace"`
	Version  string        `json:"version"`
	From     int           `json:"from"`
	Rows     int           `json:"rows"`
	Next     *int          `json:"next"`
	Start    Instant       `json:"start"`
	Strings  []string      `json:"strings"`
	ID       []otlp.SpanID `json:"id"`
	Parent   []int32       `json:"parent"`
	Depth    []int32       `json:"depth"`
	StartNS  []int64       `json:"start_ns"`
	EndNS    []int64       `json:"end_ns"`
	Name     []int32       `json:"name"`
	Service  []int32       `json:"service"`
	Group    []int32       `json:"group"`
	Kind     []int32       `json:"kind"`
	Status   []int32       `json:"status"`
	Flags    []int32       `json:"flags"`
	Path     []int64       `json:"path_ns"`
	Notes    []Sparse      `json:"notes"`
	Messages []Sparse      `json:"messages"`
	Skew     []Sparse      `json:"skew"`
	Copies   []Sparse      `json:"copies"`
}

func (h *Handler) getSpans(r *http.Request, p *params) (any, error) {
	from := p.number("from", 0, 0, 1<<31-1)
	limit := p.number("limit", maxSpanPage, 1, maxSpanPage)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	return v.page(int(from), int(limit)), nil
}

// page is a part of the rows, in columns.
func (v *view) page(from, limit int) *Spans {
	to := min(from+limit, len(v.rows))
	from = min(from, to)
	n := to - from
	p := &Spans{Trace: v.trace.ID, Version: v.version, From: from, Rows: len(v.rows), Start: Instant(v.start),
		ID: make([]otlp.SpanID, n), Parent: make([]int32, n), Depth: make([]int32, n), StartNS: make([]int64, n), EndNS: make([]int64, n),
		Name: make([]int32, n), Service: make([]int32, n), Group: make([]int32, n), Kind: make([]int32, n), Status: make([]int32, n),
		Flags: make([]int32, n), Path: make([]int64, n)}
	if to < len(v.rows) {
		p.Next = new(to)
	}
	index := map[string]int32{}
	intern := func(s string) int32 {
		i, ok := index[s]
		if !ok {
			i = int32(len(p.Strings))
			index[s] = i
			p.Strings = append(p.Strings, s)
		}
		return i
	}
	for i := range n {
		r := &v.rows[from+i]
		p.ID[i], p.Parent[i], p.Depth[i] = r.id, r.parent, r.depth
		p.StartNS[i], p.EndNS[i] = r.start, r.end
		p.Service[i], p.Group[i], p.Flags[i], p.Path[i] = r.service, r.group, r.flags, r.path
		at := from + i
		if text := v.notes(r); text != "" {
			p.Notes = append(p.Notes, Sparse{at, text})
		}
		if r.span < 0 {
			p.Name[i] = intern("")
			continue
		}
		s := &v.trace.Spans[r.span]
		p.Name[i], p.Kind[i], p.Status[i] = intern(clip(otlp.Text(s.Name), 1000)), int32(s.Kind), int32(s.Status)
		if s.Message != "" {
			p.Messages = append(p.Messages, Sparse{at, clip(otlp.Text(s.Message), 200)})
		}
		if r.skew != 0 {
			p.Skew = append(p.Skew, Sparse{at, r.skew})
		}
		if r.copy > 0 {
			p.Copies = append(p.Copies, Sparse{at, r.copy})
		}
	}
	return p
}
