package export

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// chrome writes the Trace Event Format: the JSON object that ui.perfetto.dev, chrome://tracing and Speedscope read.
//
// A service is a process. The threads of a process are lanes: viewers draw spans of one thread inside each other, and drop those that
// overlap without being inside, so spans that overlap go to lanes of their own.
//
// Times are microseconds since the earliest span: since 1970 they would not fit a float to the nanosecond.
type chrome struct {
	j         *job
	buf       []byte
	some      bool // an event was written
	origin    uint64
	processes map[string]*process
	links     linkTable
	arrows    int64 // ids that were given
}

func (c *chrome) begin(ctx context.Context, chosen *selection) error {
	c.origin = chosen.start
	c.processes = map[string]*process{}
	c.buf = append(c.buf, `{"traceEvents":[`...)
	return c.links.find(ctx, c.j.src.Store, chosen)
}

func (c *chrome) end() error {
	c.buf = append(c.buf, "\n],\"otherData\":{\"exporter\":\"lens\",\"origin\":\""...)
	c.buf = time.Unix(int64(c.origin/1e9), int64(c.origin%1e9)).UTC().AppendFormat(c.buf, time.RFC3339Nano)
	c.buf = append(c.buf, `","origin_unix_nano":"`...)
	c.buf = strconv.AppendUint(c.buf, c.origin, 10)
	c.buf = append(c.buf, "\"}}\n"...)
	c.j.done.Undrawn += c.links.undrawn()
	return c.flush()
}

func (c *chrome) flush() error {
	_, err := c.j.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

// trace writes the spans of a trace, parents before children.
func (c *chrome) trace(t *store.Trace) error {
	l := c.lay(t)
	for _, i := range l.order {
		c.slice(l, i)
		for _, a := range l.out[i] {
			c.arrow("s", a.id, a.name, l.at[i], l.start[i])
		}
		for _, a := range l.in[i] {
			c.arrow("f", a.id, a.name, l.at[i], a.ts)
		}
		c.crossing(l, i)
		for e := range t.Spans[i].Events() {
			c.instant(&t.Spans[i], e, l.at[i])
		}
		if len(c.buf) > 64<<10 {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return c.flush()
}

// since is the time of an instant on the file's scale.
func (c *chrome) since(ns uint64) int64 {
	if ns <= c.origin {
		return 0
	}
	return int64(min(ns-c.origin, math.MaxInt64/2))
}

// process finds the process of a service, or makes one and says so.
func (c *chrome) process(r *otlp.Resource) *process {
	v, _ := r.Attr(semconv.ServiceName)
	name := v.Str()
	if name == "" {
		name = "unknown_service"
	}
	p := c.processes[name]
	if p == nil {
		p = &process{pid: int64(len(c.processes) + 1)}
		c.processes[name] = p
		first := p.pid*maxLanes + 1
		c.metadata("process_name", p.pid, first, "name", name)
		c.head("M", "process_sort_index", p.pid, first)
		c.buf = append(c.buf, `,"args":{"sort_index":`...)
		c.buf = append(strconv.AppendInt(c.buf, p.pid, 10), "}}"...)
	}
	return p
}

// thread names a lane when it is new.
func (c *chrome) thread(p *process, lane int) lanePlace {
	at := lanePlace{p.pid, p.pid*maxLanes + int64(lane) + 1}
	if lane >= p.named {
		p.named = lane + 1
		c.metadata("thread_name", at.pid, at.tid, "name", "lane "+strconv.Itoa(lane+1))
	}
	return at
}

// head begins an event.
func (c *chrome) head(phase, name string, pid, tid int64) {
	if c.some {
		c.buf = append(c.buf, ',')
	}
	c.some = true
	c.buf = append(c.buf, "\n{\"ph\":\""...)
	c.buf = append(c.buf, phase...)
	c.buf = append(c.buf, `","pid":`...)
	c.buf = strconv.AppendInt(c.buf, pid, 10)
	c.buf = append(c.buf, `,"tid":`...)
	c.buf = strconv.AppendInt(c.buf, tid, 10)
	c.buf = append(c.buf, `,"name":`...)
	c.buf = appendText(c.buf, name)
}

func (c *chrome) metadata(what string, pid, tid int64, key, value string) {
	c.head("M", what, pid, tid)
	c.buf = append(c.buf, `,"args":{`...)
	c.buf = append(appendText(c.buf, key), ':')
	c.buf = append(appendText(c.buf, value), "}}"...)
}

func (c *chrome) number(key string, ns int64) {
	c.buf = append(c.buf, ",\""...)
	c.buf = append(c.buf, key...)
	c.buf = append(c.buf, "\":"...)
	c.buf = appendMicros(c.buf, ns)
}

func (c *chrome) text(key, value string) {
	if value == "" {
		return
	}
	c.buf = append(c.buf, ",\""...)
	c.buf = append(c.buf, key...)
	c.buf = append(c.buf, "\":"...)
	c.buf = appendText(c.buf, value)
}

func (c *chrome) flag(key string, on bool) {
	if on {
		c.buf = append(c.buf, ",\""...)
		c.buf = append(c.buf, key...)
		c.buf = append(c.buf, "\":true"...)
	}
}

func (c *chrome) count(key string, n uint64) {
	if n > 0 {
		c.buf = append(c.buf, ",\""...)
		c.buf = append(c.buf, key...)
		c.buf = append(c.buf, "\":"...)
		c.buf = strconv.AppendUint(c.buf, n, 10)
	}
}

// slice writes a span.
func (c *chrome) slice(l *layout, i int) {
	s, sc := &l.t.Spans[i], l.t.Scopes[l.t.ScopeOf[i]]
	truncated, _ := s.Attr(semconv.SpanTruncated)
	state, colour := "", ""
	switch {
	case truncated.Bool():
		state, colour = ",truncated", "yellow"
	case s.Status == otlp.StatusError:
		state, colour = ",error", "terrible"
	case s.End == 0:
		state, colour = ",running", "grey"
	}
	group := groupOf(sc, s)
	c.head("X", s.Name, l.at[i].pid, l.at[i].tid)
	c.number("ts", l.start[i])
	c.number("dur", l.end[i]-l.start[i])
	c.text("cat", category(group, sc)+state)
	c.text("cname", colour)
	c.buf = append(c.buf, `,"args":{"attributes":`...)
	c.buf = otlp.AppendJSONObject(c.buf, s.Attributes())
	c.text("trace_id", s.TraceID.String())
	c.text("span_id", s.SpanID.String())
	if !s.Parent.IsZero() {
		c.text("parent_id", s.Parent.String())
	}
	c.text("kind", s.Kind.String())
	c.text("status", s.Status.String())
	c.text("message", s.Message)
	c.text("group", group)
	c.text("scope", sc.Name)
	c.flag("truncated", truncated.Bool())
	c.flag("running", s.End == 0)
	c.flag("parent_missing", l.t.Marks[i]&store.Orphan != 0)
	c.flag("parent_in_circle", l.t.Marks[i]&store.Cycle != 0)
	c.flag("same_id_as_another", l.t.Marks[i]&store.SameID != 0)
	c.flag("ends_before_it_starts", s.End != 0 && s.End < s.Start)
	c.count("dropped_attributes", uint64(s.DroppedAttributes))
	c.count("dropped_events", uint64(s.DroppedEvents))
	c.count("dropped_links", uint64(s.DroppedLinks))
	c.buf = append(c.buf, "}}"...)
}

// groupOf is the span group, where the program names one.
func groupOf(sc *otlp.Scope, s *otlp.Span) string {
	v, ok := s.Attr(semconv.LensGroup)
	if !ok {
		v, _ = sc.Attr(semconv.LensGroup)
	}
	return v.Str()
}

// category is what a viewer filters by.
func category(group string, sc *otlp.Scope) string {
	switch {
	case group != "":
		return group
	case sc.Name != "":
		return sc.Name
	}
	return "span"
}

// instant writes an event of a span.
func (c *chrome) instant(s *otlp.Span, e otlp.Event, at lanePlace) {
	name := e.Name
	if name == "" {
		name = "event"
	}
	c.head("i", name, at.pid, at.tid)
	c.number("ts", c.since(e.Time))
	c.buf = append(c.buf, `,"s":"t","cat":"event","args":{"attributes":`...)
	c.buf = otlp.AppendJSONObject(c.buf, e.Attributes())
	c.text("span_id", s.SpanID.String())
	c.count("dropped_attributes", uint64(e.DroppedAttributes))
	c.buf = append(c.buf, "}}"...)
}

// arrow writes one end of an arrow. It binds to the slice that is innermost in its lane at that time.
func (c *chrome) arrow(phase string, id int64, name string, at lanePlace, ts int64) {
	c.head(phase, name, at.pid, at.tid)
	c.number("ts", ts)
	c.buf = append(c.buf, `,"cat":"flow","id":`...)
	c.buf = strconv.AppendInt(c.buf, id, 10)
	if phase == "f" {
		c.buf = append(c.buf, `,"bp":"e"`...)
	}
	c.buf = append(c.buf, '}')
}

// appendMicros writes nanoseconds as microseconds. Perfetto reads a float and multiplies it by 1000; some versions cut the rest off
// then, others round. Cut, some numbers give a nanosecond less, and with it spans that overlap, which it drops: these get a fraction of a
// nanosecond more, that both ways lose again.
func appendMicros(dst []byte, ns int64) []byte {
	dst = strconv.AppendInt(dst, ns/1000, 10)
	rest := ns % 1000
	if rest == 0 { // an integer is read exactly
		return dst
	}
	dst = append(dst, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	if int64(float64(ns)/1000*1000) != ns {
		dst = append(dst, '2')
	}
	return dst
}
