package export_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// event is an entry of the Trace Event Format.
type event struct {
	Phase  string          `json:"ph"`
	PID    *int64          `json:"pid"`
	TID    *int64          `json:"tid"`
	Name   *string         `json:"name"`
	Cat    string          `json:"cat"`
	Colour string          `json:"cname"`
	TS     json.Number     `json:"ts"`
	Dur    json.Number     `json:"dur"`
	Scope  string          `json:"s"`
	Bind   string          `json:"bp"`
	ID     int64           `json:"id"`
	Args   map[string]any  `json:"args"`
	Raw    json.RawMessage `json:"-"`

	ts, end int64 // nanoseconds, as Perfetto reads them
	place   int   // in the file
}

// perfettoNanos reads microseconds as Perfetto does: as an integer, or as a float that is multiplied, and cut or rounded by version.
func perfettoNanos(n json.Number) (int64, error) {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i * 1000, nil
	}
	f, err := strconv.ParseFloat(string(n), 64)
	cut, rounded := int64(f*1000), int64(math.Round(f*1000))
	if err == nil && cut != rounded && cut < 1<<50 { // beyond, no float is a nanosecond
		err = fmt.Errorf("%s µs are %d or %d ns", n, cut, rounded)
	}
	return rounded, err
}

type thread struct{ pid, tid int64 }

// checkChrome holds a text to the rules of the Trace Event Format, as viewers enforce them, and returns its events.
func checkChrome(t *testing.T, text string) []event {
	t.Helper()
	var doc struct {
		TraceEvents []event        `json:"traceEvents"`
		OtherData   map[string]any `json:"otherData"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil || d.More() {
		t.Fatalf("no JSON object: %v\n%.300s", err, text)
	}
	if strings.Contains(text, "displayTimeUnit") {
		t.Error("it has displayTimeUnit, by which older Perfettos take the unit of ts")
	}
	c := checker{t: t, threads: map[thread][]*event{}, processes: map[int64]bool{}, named: map[thread]bool{}, flows: map[int64][]*event{}, owner: map[int64]int64{}}
	for i := range doc.TraceEvents {
		e := &doc.TraceEvents[i]
		e.place = i
		c.read(e)
	}
	for th, events := range c.threads {
		c.thread(th, events)
	}
	for id, ends := range c.flows {
		c.flow(id, ends)
	}
	return doc.TraceEvents
}

type checker struct {
	t         *testing.T
	threads   map[thread][]*event
	processes map[int64]bool
	named     map[thread]bool
	owner     map[int64]int64 // process of a thread id
	flows     map[int64][]*event
}

// read checks an event for itself.
func (c *checker) read(e *event) {
	c.t.Helper()
	if e.PID == nil || e.TID == nil || e.Name == nil {
		c.t.Fatalf("event %d has no pid, tid or name", e.place)
	}
	th := thread{*e.PID, *e.TID}
	if pid, ok := c.owner[th.tid]; ok && pid != th.pid {
		c.t.Errorf("thread id %d is of two processes", th.tid)
	}
	c.owner[th.tid] = th.pid
	if e.Phase == "M" {
		switch *e.Name {
		case "process_name":
			c.processes[th.pid] = true
		case "thread_name":
			c.named[th] = true
		}
		return
	}
	var err error
	if e.ts, err = perfettoNanos(e.TS); err != nil || e.ts < 0 {
		c.t.Fatalf("event %d begins at %q", e.place, e.TS)
	}
	e.end = e.ts
	switch e.Phase {
	case "X":
		dur, err := perfettoNanos(e.Dur)
		if err != nil || dur < 0 {
			c.t.Fatalf("event %d lasts %q", e.place, e.Dur)
		}
		e.end += dur
	case "i":
		if e.Scope != "t" {
			c.t.Errorf("instant %d has scope %q", e.place, e.Scope)
		}
	case "s", "f":
		c.flows[e.ID] = append(c.flows[e.ID], e)
		if e.Phase == "f" && e.Bind != "e" {
			c.t.Errorf("arrow end %d binds to the next slice", e.place)
		}
	default:
		c.t.Fatalf("event %d has phase %q", e.place, e.Phase)
	}
	if !c.processes[th.pid] || !c.named[th] {
		c.t.Errorf("event %d is of a process or thread without a name", e.place)
	}
	c.threads[th] = append(c.threads[th], e)
}

// thread checks that slices nest, and that arrows have a slice to bind to, in the order in which viewers look at them.
func (c *checker) thread(th thread, events []*event) {
	c.t.Helper()
	slices.SortStableFunc(events, func(a, b *event) int { return cmp.Compare(a.ts, b.ts) })
	var stack []*event
	for _, e := range events {
		for len(stack) > 0 && stack[len(stack)-1].end <= e.ts && (e.Phase == "X" || stack[len(stack)-1].end < e.ts) {
			stack = stack[:len(stack)-1]
		}
		switch e.Phase {
		case "X":
			if n := len(stack); n > 0 && e.end > stack[n-1].end {
				c.t.Errorf("in thread %v %q (%d to %d) overlaps %q (%d to %d)", th, *e.Name, e.ts, e.end, *stack[n-1].Name, stack[n-1].ts, stack[n-1].end)
			}
			stack = append(stack, e)
		case "s", "f":
			if len(stack) == 0 {
				c.t.Errorf("arrow %d has no slice at %d in thread %v", e.ID, e.ts, th)
			}
		}
	}
}

func (c *checker) flow(id int64, ends []*event) {
	c.t.Helper()
	slices.SortFunc(ends, func(a, b *event) int { return -cmp.Compare(a.Phase, b.Phase) })
	if len(ends) != 2 || ends[0].Phase != "s" || ends[1].Phase != "f" {
		c.t.Errorf("arrow %d has %d ends", id, len(ends))
		return
	}
	if ends[1].ts < ends[0].ts || *ends[0].Name != *ends[1].Name || ends[0].Cat != ends[1].Cat {
		c.t.Errorf("arrow %d goes back in time, or changes its name", id)
	}
}

// slicesOf returns the slices by span id.
func slicesOf(events []event) map[string]*event {
	out := map[string]*event{}
	for i := range events {
		if events[i].Phase == "X" {
			out[events[i].Args["span_id"].(string)] = &events[i]
		}
	}
	return out
}

func countPhase(events []event, phase string) (n int) {
	for i := range events {
		if events[i].Phase == phase {
			n++
		}
	}
	return n
}

func TestChrome(t *testing.T) {
	src := load(t, demo)
	text, done := write(t, src, export.Options{Format: export.Chrome})
	events := checkChrome(t, text)
	if got := countPhase(events, "X"); got != done.Spans || got == 0 {
		t.Errorf("%d slices of %d spans", got, done.Spans)
	}
	byID := slicesOf(events)
	arrows := 0
	if _, err := src.Store.EachTrace(t.Context(), nil, func(tr *store.Trace) error {
		for i := range tr.Spans {
			s, e := &tr.Spans[i], byID[tr.Spans[i].SpanID.String()]
			if e == nil || *e.Name != s.Name || e.end-e.ts != int64(s.End-s.Start) {
				t.Fatalf("span %s is %+v", s.SpanID, e)
			}
			if up := tr.ParentOf[i]; up >= 0 && *byID[tr.Spans[up].SpanID.String()].PID != *e.PID {
				arrows++
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := countPhase(events, "s"); got < arrows || arrows == 0 || done.Undrawn > 0 {
		t.Errorf("%d arrows, want at least %d, and %d left out", got, arrows, done.Undrawn)
	}
	links := 0
	for i := range events {
		if events[i].Phase == "f" && *events[i].Name == "link" {
			links++
		}
	}
	if links == 0 {
		t.Error("no rollout is linked to its job")
	}
}

func TestChrome_golden(t *testing.T) {
	src := load(t, demo)
	id, err := otlp.ParseTraceID("8c350816c8be54322ed2ff6b91c68d00")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := write(t, src, export.Options{Format: export.Chrome, Traces: []otlp.TraceID{id}})
	checkChrome(t, text)
	golden(t, "trace.json", text)
}

// Whatever programs send, viewers can draw it.
func TestChrome_odd(t *testing.T) {
	src := odd(t)
	text, done := write(t, src, export.Options{Format: export.Chrome})
	events := checkChrome(t, text)
	if got := countPhase(events, "X"); got != done.Spans {
		t.Errorf("%d slices of %d spans", got, done.Spans)
	}
	for _, want := range []string{`"parent_missing":true`, `"parent_in_circle":true`, `"same_id_as_another":true`, `"running":true`, `"ends_before_it_starts":true`, `"unknown_service"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not said", want)
		}
	}
}

// Random traces, with times so close that they touch and with fractions that floats cannot hold.
func TestChrome_random(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		src := empty(t)
		const t0 = 1_800_000_000_000_000_000
		scale := []uint64{30, 1000, 1_000_000, 500_000_000_000_000}[seed%4]
		var spans []sp
		for i := range uint64(1 + rnd.IntN(120)) {
			s := sp{trace: 1 + rnd.Uint64N(3), id: i + 1, name: fmt.Sprint("s", i), service: fmt.Sprint("p", rnd.IntN(3)), start: t0 + rnd.Uint64N(scale)}
			s.end = s.start + rnd.Uint64N(scale/4+1)
			if i > 0 && rnd.IntN(5) > 0 {
				up := spans[rnd.IntN(len(spans))]
				s.parent, s.trace = up.id, up.trace
				if rnd.IntN(3) > 0 && up.end > up.start { // as a child should be
					s.start = up.start + rnd.Uint64N(up.end-up.start)
					s.end = s.start + rnd.Uint64N(up.end-s.start+1)
				}
			}
			if rnd.IntN(15) == 0 {
				s.end = 0
			}
			if rnd.IntN(4) == 0 {
				to := pcommon.SpanID(spanID(1 + rnd.Uint64N(i+2)))
				in := pcommon.TraceID(traceID(1 + rnd.Uint64N(3)))
				at := pcommon.Timestamp(s.start + rnd.Uint64N(scale))
				s.edit = func(span ptrace.Span) {
					l := span.Links().AppendEmpty()
					l.SetTraceID(in)
					l.SetSpanID(to)
					span.Events().AppendEmpty().SetTimestamp(at)
				}
			}
			spans = append(spans, s)
		}
		add(t, src, spans...)
		text, done := write(t, src, export.Options{Format: export.Chrome})
		events := checkChrome(t, text)
		if got := countPhase(events, "X"); got != len(spans) || done.Spans != len(spans) {
			t.Errorf("%d slices of %d spans", got, len(spans))
		}
		byID := slicesOf(events)
		for _, s := range spans {
			e := byID[spanID(s.id).String()]
			if s.end != 0 && e.end-e.ts != int64(s.end-s.start) {
				t.Errorf("seed %d: span %d lasts %d, drawn as %d", seed, s.id, s.end-s.start, e.end-e.ts)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A child stands inside its parent when it can, and beside strangers.
func TestChrome_lanes(t *testing.T) {
	src := empty(t)
	const t0 = 1_800_000_000_000_000_000
	add(t, src,
		sp{trace: 1, id: 1, name: "root", service: "a", start: t0, end: t0 + 1000},
		sp{trace: 1, id: 2, parent: 1, name: "inside", service: "a", start: t0 + 100, end: t0 + 500},
		sp{trace: 1, id: 3, parent: 1, name: "beside its sibling", service: "a", start: t0 + 300, end: t0 + 700},
		sp{trace: 1, id: 4, parent: 1, name: "after its sibling", service: "a", start: t0 + 500, end: t0 + 600},
		sp{trace: 1, id: 5, parent: 1, name: "longer than its parent", service: "a", start: t0 + 800, end: t0 + 1200},
		sp{trace: 2, id: 6, name: "stranger inside its time", service: "a", start: t0 + 10, end: t0 + 20},
		sp{trace: 3, id: 7, name: "stranger afterwards", service: "a", start: t0 + 1000, end: t0 + 1100},
		sp{trace: 1, id: 8, parent: 2, name: "called", service: "b", kind: ptrace.SpanKindServer, start: t0 + 150, end: t0 + 400},
	)
	text, _ := write(t, src, export.Options{Format: export.Chrome})
	byID := slicesOf(checkChrome(t, text))
	lane := func(id uint64) int64 { return *byID[spanID(id).String()].TID }
	same := func(a, b uint64, want bool) {
		t.Helper()
		if got := lane(a) == lane(b); got != want {
			t.Errorf("%q and %q in one lane: %v, want %v", *byID[spanID(a).String()].Name, *byID[spanID(b).String()].Name, got, want)
		}
	}
	same(1, 2, true)
	same(1, 3, false)
	same(1, 4, true)
	same(1, 5, false)
	same(1, 6, false)
	same(1, 7, true)
	if *byID[spanID(1).String()].PID == *byID[spanID(8).String()].PID {
		t.Error("two services are one process")
	}
	if !strings.Contains(text, `"ph":"s"`) {
		t.Error("no arrow to the other process")
	}
}

// What is wrong with a span is to be seen.
func TestChrome_states(t *testing.T) {
	src := empty(t)
	const t0 = 1_800_000_000_000_000_000
	add(t, src,
		sp{trace: 1, id: 1, name: "root", service: "a", start: t0, end: t0 + 1_000_000},
		sp{trace: 1, id: 2, parent: 1, name: "failed", service: "a", start: t0, end: t0 + 10, edit: full},
		sp{trace: 1, id: 3, parent: 1, name: "cut", service: "a", start: t0 + 20, end: t0 + 30, edit: func(s ptrace.Span) {
			s.Attributes().PutBool("nemo.span.truncated", true)
			s.Status().SetCode(ptrace.StatusCodeError)
		}},
		sp{trace: 1, id: 4, parent: 1, name: "open", service: "a", start: t0 + 40},
	)
	text, _ := write(t, src, export.Options{Format: export.Chrome})
	byID := slicesOf(checkChrome(t, text))
	for id, want := range map[uint64]string{1: "test ", 2: "test,error terrible", 3: "test,truncated yellow", 4: "test,running grey"} {
		if e := byID[spanID(id).String()]; e.Cat+" "+e.Colour != want {
			t.Errorf("%q is %q, want %q", *e.Name, e.Cat+" "+e.Colour, want)
		}
	}
	if e := byID[spanID(4).String()]; e.end != 1_000_000 {
		t.Errorf("what runs is drawn until %d ns, want to the end of the trace", e.end)
	}
	if args := byID[spanID(2).String()].Args; args["attributes"].(map[string]any)["int"] != "-9223372036854775808" || !strings.HasPrefix(args["message"].(string), "größer") {
		t.Errorf("args are %v", args)
	}
	if !strings.Contains(text, `"name":"exception"`) {
		t.Error("the event is not there")
	}
}

// Nothing to draw is a document too.
func TestChrome_empty(t *testing.T) {
	text, done := write(t, empty(t), export.Options{Format: export.Chrome})
	if events := checkChrome(t, text); len(events) > 0 || !done.Empty() {
		t.Errorf("%d events, %+v", len(events), done)
	}
}
