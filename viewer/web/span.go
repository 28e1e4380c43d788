package web

import (
	"slices"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

const (
	maxEvents = 256
	maxLinks  = 256
)

// span is everything about one span; ok is false when it is not in the trace. find tells which traces are here.
func (v *view) span(id otlp.SpanID, copy int, find func(...otlp.TraceID) map[otlp.TraceID]Trace) (d *SpanDetail, ok bool) {
	r, copies := v.find(id, copy)
	if r == nil {
		return nil, false
	}
	s := &v.trace.Spans[r.span]
	res, sc := v.trace.Resources[v.trace.ResourceOf[r.span]], v.trace.Scopes[v.trace.ScopeOf[r.span]]
	texts := newBudget()
	service := serviceName(res)
	d = &SpanDetail{
		Trace: v.trace.ID, Span: s.SpanID, Copy: copy, Copies: copies, Row: int(v.rowOf[r.span]),
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
	d.Attributes, d.AttributesTotal = texts.attributes(s.Attributes(), maxAttributes)
	v.eventsOf(d, s, texts)
	v.linksOf(d, s, texts, find)
	d.Scope = Scope{Name: clip(otlp.Text(sc.Name), 1000), Version: clip(otlp.Text(sc.Version), 1000)}
	d.Scope.Attributes, _ = texts.attributes(sc.Attributes(), maxAttributes)
	d.Resource.Attributes, d.Resource.AttributesTotal = texts.attributes(res.Attributes(), maxAttributes)
	return d, true
}

func (v *view) eventsOf(d *SpanDetail, s *otlp.Span, texts *budget) {
	for e := range s.Events() {
		if d.EventsTotal++; d.EventsTotal > maxEvents {
			continue
		}
		event := Event{Name: clip(otlp.Text(e.Name), 1000), Time: Instant(e.Time), StartNS: gap(e.Time, v.start)}
		event.Attributes, _ = texts.attributes(e.Attributes(), maxAttributes)
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
		link.Attributes, _ = texts.attributes(l.Attributes(), maxAttributes)
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

// maxGap is the largest number up to which JavaScript counts one by one: 104 days of nanoseconds.
const maxGap = 1<<53 - 1

// gap is the time from start to t, negative when t is before. Times that no clock gave (0, the largest number) do not get
// out of bounds.
func gap(t, start uint64) int64 {
	if t < start {
		return -int64(min(start-t, maxGap))
	}
	return int64(min(t-start, maxGap))
}
