package web

import (
	"net/http"
	"slices"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// SpanDetail is everything about one span.
type SpanDetail struct {
	Trace           otlp.TraceID `json:"trace"`
	Span            otlp.SpanID  `json:"span"`
	Parent          *otlp.SpanID `json:"parent"`
	Copy            int          `json:"copy"`
	Copies          int          `json:"copies"`
	Row             int          `json:"row"`
	Name            string       `json:"name"`
	Kind            string       `json:"kind"`
	Status          string       `json:"status"`
	Message         string       `json:"message"`
	TraceState      string       `json:"trace_state"`
	Start           Instant      `json:"start"`
	End             *Instant     `json:"end"`
	StartNS         int64        `json:"start_ns"`
	Duration        *int64       `json:"duration_ns"`
	Open            bool         `json:"open"`
	Flags           int32        `json:"flags"`
	Service         string       `json:"service"`
	Role            string       `json:"role"`
	Group           string       `json:"group"`
	Truncated       bool         `json:"truncated"`
	TruncatedReason string       `json:"truncated_reason"`
	Pair            *Pair        `json:"pair"`
	Attributes      []Attribute  `json:"attributes"`
	AttributesTotal int          `json:"attributes_total"`
	Events          []Event      `json:"events"`
	EventsTotal     int          `json:"events_total"`
	Links           []Link       `json:"links"`
	LinksTotal      int          `json:"links_total"`
	Scope           Scope        `json:"scope"`
	Resource        Resource     `json:"resource"`
	Dropped         Dropped      `json:"dropped"`
}

// Pair is the other half of a call.
type Pair struct {
	Span otlp.SpanID `json:"span"`
	Kind string      `json:"kind"`
}

// Event is an event of a span.
type Event struct {
	Name       string      `json:"name"`
	Time       Instant     `json:"time"`
	StartNS    int64       `json:"start_ns"`
	Attributes []Attribute `json:"attributes"`
}

// Link is a link of a span.
type Link struct {
	Trace      otlp.TraceID `json:"trace"`
	Span       otlp.SpanID  `json:"span"`
	Stored     bool         `json:"stored"`
	At         *int64       `json:"at"`
	Attributes []Attribute  `json:"attributes"`
}

// Scope is the instrumentation scope of a span.
type Scope struct {
	Name       string      `json:"name"`
	Version    string      `json:"version"`
	Attributes []Attribute `json:"attributes"`
}

// Resource is the process that made a span.
type Resource struct {
	Attributes      []Attribute `json:"attributes"`
	AttributesTotal int         `json:"attributes_total"`
}

// Dropped is what the sender says it left out.
type Dropped struct {
	Attributes uint32 `json:"attributes"`
	Events     uint32 `json:"events"`
	Links      uint32 `json:"links"`
}

// Attribute is a key and a value as text.
type Attribute struct {
	Key  string `json:"key"`
	Type string `json:"type"`
	Text string `json:"text"`
	Cut  int    `json:"cut"` // bytes left out of Text
}

const (
	maxEvents = 256
	maxLinks  = 256
)

// span is everything about one span; ok is false when it is not in the trace. find tells which traces are here.
func (v *view) span(id otlp.SpanID, nth int, find func(...otlp.TraceID) map[otlp.TraceID]Trace) (d *SpanDetail, ok bool) {
	r, copies := v.find(id, nth)
	if r == nil {
		return nil, false
	}
	s := &v.trace.Spans[r.span]
	res, sc := v.trace.Resources[v.trace.ResourceOf[r.span]], v.trace.Scopes[v.trace.ScopeOf[r.span]]
	texts := newBudget()
	service := serviceName(res)
	d = &SpanDetail{
		Trace: v.trace.ID, Span: s.SpanID, Copy: nth, Copies: copies, Row: int(v.rowOf[r.span]),
		Name: clip(otlp.Text(s.Name), maxText), Kind: s.Kind.String(), Status: s.Status.String(),
		Message: clip(otlp.Text(s.Message), maxText), TraceState: clip(otlp.Text(s.State), 1000),
		Start: Instant(s.Start), End: known(s.End), StartNS: r.start, Open: s.End == 0, Flags: r.flags,
		Service: service, Role: roleOf(res), Truncated: r.flags&flagTruncated != 0, Pair: v.pair(r),
		Dropped: Dropped{Attributes: s.DroppedAttributes, Events: s.DroppedEvents, Links: s.DroppedLinks},
	}
	if !s.Parent.IsZero() {
		d.Parent = new(s.Parent)
	}
	if s.End != 0 {
		d.Duration = new(r.end - r.start)
	}
	if r.group >= 0 {
		d.Group = v.groups[r.group]
	}
	if why, ok := s.Attr(semconv.SpanTruncatedReason); ok {
		d.TruncatedReason = clip(otlp.Text(why.Str()), 1000)
	}
	d.Attributes, d.AttributesTotal = texts.attributes(s.Attributes())
	v.eventsOf(d, s, texts)
	v.linksOf(d, s, texts, find)
	d.Scope = Scope{Name: clip(otlp.Text(sc.Name), 1000), Version: clip(otlp.Text(sc.Version), 1000)}
	d.Scope.Attributes, _ = texts.attributes(sc.Attributes())
	d.Resource.Attributes, d.Resource.AttributesTotal = texts.attributes(res.Attributes())
	return d, true
}

func (v *view) eventsOf(d *SpanDetail, s *otlp.Span, texts *budget) {
	for e := range s.Events() {
		if d.EventsTotal++; d.EventsTotal > maxEvents {
			continue
		}
		event := Event{Name: clip(otlp.Text(e.Name), 1000), Time: Instant(e.Time), StartNS: gap(e.Time, v.start)}
		event.Attributes, _ = texts.attributes(e.Attributes())
		d.Events = append(d.Events, event)
	}
}

func (v *view) linksOf(d *SpanDetail, s *otlp.Span, texts *budget, find func(...otlp.TraceID) map[otlp.TraceID]Trace) {
	var others []otlp.TraceID
	for l := range s.Links() {
		if d.LinksTotal++; d.LinksTotal > maxLinks {
			continue
		}
		link := Link{Trace: l.TraceID, Span: l.SpanID}
		link.Attributes, _ = texts.attributes(l.Attributes())
		d.Links = append(d.Links, link)
		if l.TraceID != v.trace.ID && !slices.Contains(others, l.TraceID) {
			others = append(others, l.TraceID)
		}
	}
	here := find(others...)
	for i := range d.Links {
		l := &d.Links[i]
		if l.Trace == v.trace.ID {
			l.Stored, l.At = true, new(Instant(v.start).at())
		} else if t, ok := here[l.Trace]; ok {
			l.Stored, l.At = true, new(t.At)
		}
	}
}

// pair finds the other half of a call: a CLIENT span with exactly one SERVER child is shown as one row with it.
func (v *view) pair(r *row) *Pair {
	if other := v.other(int(v.rowOf[r.span])); other >= 0 {
		o := &v.rows[other]
		return &Pair{Span: o.id, Kind: v.trace.Spans[o.span].Kind.String()}
	}
	return nil
}

// other is the row of the other half of a call, -1 when the row is none.
func (v *view) other(at int) int {
	r := &v.rows[at]
	if r.span < 0 {
		return -1
	}
	switch v.trace.Spans[r.span].Kind {
	case otlp.KindClient:
		return v.serverOf(at)
	case otlp.KindServer:
		if r.parent >= 0 && v.serverOf(int(r.parent)) == at {
			return int(r.parent)
		}
	}
	return -1
}

// serverOf is the row of the only SERVER child of a CLIENT span, -1 when there is none or more than one.
func (v *view) serverOf(at int) int {
	r := &v.rows[at]
	if r.span < 0 || v.trace.Spans[r.span].Kind != otlp.KindClient {
		return -1
	}
	found := -1
	for i := at + 1; i < len(v.rows) && v.rows[i].depth > r.depth; i++ {
		c := &v.rows[i]
		if c.depth != r.depth+1 || c.span < 0 || v.trace.Spans[c.span].Kind != otlp.KindServer {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func (h *Handler) getSpan(r *http.Request, p *params) (any, error) {
	id := p.span("span", r.PathValue("span"))
	n := p.number("copy", 0, 0, 1<<20)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	d, ok := v.span(id, int(n), h.model.traceRows)
	if !ok {
		return nil, notFound("This trace has no span "+id.String()+".", "It may not have arrived yet.")
	}
	return d, nil
}
