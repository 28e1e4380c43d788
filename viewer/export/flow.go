package export

import (
	"context"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// calls draws an arrow from each span to its children in other processes, and to the spans of the trace that are linked to it.
func (c *chrome) calls(l *layout) {
	l.out, l.in = map[int][]arrow{}, map[int][]arrow{}
	draw := func(from, to int, name string) {
		ts := max(l.start[from], l.start[to]) // an arrow goes forward in time, also where clocks differ
		if from == to || ts > l.end[to] {
			c.j.done.Undrawn++
			return
		}
		c.arrows++
		l.out[from] = append(l.out[from], arrow{id: c.arrows, name: name})
		l.in[to] = append(l.in[to], arrow{id: c.arrows, name: name, ts: ts})
	}
	byID := map[otlp.SpanID]int{}
	linked := false
	for i := range l.t.Spans {
		if up := l.t.ParentOf[i]; up >= 0 && l.process[up] != l.process[i] {
			draw(int(up), i, "call")
		}
		for range l.t.Spans[i].Links() {
			linked = true
			break
		}
	}
	if !linked {
		return
	}
	for i := range l.t.Spans {
		if _, ok := byID[l.t.Spans[i].SpanID]; !ok {
			byID[l.t.Spans[i].SpanID] = i
		}
	}
	for i := range l.t.Spans {
		for link := range l.t.Spans[i].Links() {
			if from, ok := byID[link.SpanID]; ok && link.TraceID == l.t.ID {
				draw(from, i, "link")
			}
		}
	}
}

// maxLinked bounds what is remembered for links between traces.
const maxLinked = 1 << 20

// spanKey names a span of any trace.
type spanKey struct {
	trace otlp.TraceID
	span  otlp.SpanID
}

// linkTable knows the spans that spans of other traces are linked to, such as a job that its rollouts name. Traces are written one
// after the other: either end of a link may come first.
type linkTable struct {
	targets map[spanKey]*target
	waiting int
	lost    int // links that were too many
}

type target struct {
	at      lanePlace
	ts      int64
	drawn   bool
	waiting []linkEnd // links to it, while it is not drawn
}

type linkEnd struct {
	at         lanePlace
	start, end int64
}

// find looks for links between the chosen traces.
func (lt *linkTable) find(ctx context.Context, s *store.Store, chosen *selection) error {
	lt.targets = map[spanKey]*target{}
	return s.Each(ctx, store.Traces, func(req []byte) error {
		return otlp.WalkTrusted(req, func(_ *otlp.Resource, _ *otlp.Scope, s *otlp.Span) error {
			for link := range s.Links() {
				k := spanKey{link.TraceID, link.SpanID}
				if link.TraceID == s.TraceID || !chosen.has(s.TraceID) || !chosen.has(link.TraceID) || lt.targets[k] != nil {
					continue
				}
				if len(lt.targets) < maxLinked {
					lt.targets[k] = &target{}
				}
			}
			return nil
		})
	})
}

// undrawn counts the links of which only one end is there because there were too many. Those to spans that never came do not count.
func (lt *linkTable) undrawn() int { return lt.lost }

// crossing draws the links between a span and those of other traces that can be drawn now.
func (c *chrome) crossing(l *layout, i int) {
	if len(c.links.targets) == 0 {
		return
	}
	s := &l.t.Spans[i]
	if t := c.links.targets[spanKey{s.TraceID, s.SpanID}]; t != nil && !t.drawn {
		t.at, t.ts, t.drawn = l.at[i], l.start[i], true
		for _, e := range t.waiting {
			c.link(t, e)
		}
		c.links.waiting -= len(t.waiting)
		t.waiting = nil
	}
	for link := range s.Links() {
		if link.TraceID == s.TraceID {
			continue
		}
		t := c.links.targets[spanKey{link.TraceID, link.SpanID}]
		end := linkEnd{l.at[i], l.start[i], l.end[i]}
		switch {
		case t == nil:
		case t.drawn:
			c.link(t, end)
		case c.links.waiting < maxLinked:
			c.links.waiting++
			t.waiting = append(t.waiting, end)
		default:
			c.links.lost++
		}
	}
}

// link draws an arrow from a span to one that is linked to it.
func (c *chrome) link(t *target, e linkEnd) {
	ts := max(t.ts, e.start)
	if ts > e.end {
		c.j.done.Undrawn++
		return
	}
	c.arrows++
	c.arrow("s", c.arrows, "link", t.at, t.ts)
	c.arrow("f", c.arrows, "link", e.at, ts)
}
