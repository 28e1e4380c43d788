package export

import (
	"math"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/export/internal/protospan"
	"github.com/lensgo/lens/telemetry/internal/slate"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

var morning = time.Unix(1_700_000_000, 0)

// noted is the note of a span that starts so many seconds after the morning, and ends a second later if it has ended.
func noted(id byte, state slate.State, order uint64, second int, name string) slate.Note {
	s := tracetest.SpanStub{Name: name, StartTime: morning.Add(time.Duration(second) * time.Second),
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{id}})}
	if state != slate.Open {
		s.EndTime = s.StartTime.Add(time.Second)
	}
	return slate.Note{State: state, Origin: 1, Order: order, Body: protospan.Append(nil, s.Snapshot())}
}

func originNote() slate.Note {
	return slate.Note{State: slate.Shared, Origin: 1, Body: protospan.AppendOrigin(nil,
		resource.NewSchemaless(attribute.String("service.name", "x")), instrumentation.Scope{Name: "scope"})}
}

// said are the spans of requests, a letter for each: in capitals what is truncated, behind a dash what may have arrived.
func said(t *testing.T, requests []spool.Request) string {
	t.Helper()
	var b strings.Builder
	for i, r := range requests {
		if i > 0 {
			b.WriteByte(' ')
		}
		if r.Tried {
			b.WriteByte('-')
		}
		truncated := 0
		for _, s := range spansOf(t, r) {
			if len(s.Events) > 0 {
				truncated++
				b.WriteString(strings.ToUpper(s.Name))
			} else {
				b.WriteString(s.Name)
			}
		}
		if n := len(spansOf(t, r)); n != r.Items || truncated != r.Truncated {
			t.Errorf("%d items, %d of them truncated, of %d and %d", r.Items, r.Truncated, n, truncated)
		}
	}
	return b.String()
}

func spansOf(t *testing.T, r spool.Request) (list []*tracepb.Span) {
	t.Helper()
	var d tracepb.TracesData
	if err := proto.Unmarshal(r.Body, &d); err != nil {
		t.Fatal(err)
	}
	for _, rs := range d.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			list = append(list, ss.Spans...)
		}
	}
	return list
}

func TestRequestsOf(t *testing.T) {
	for name, c := range map[string]struct {
		notes []slate.Note
		want  string
	}{
		"nothing":     {nil, ""},
		"only origin": {[]slate.Note{originNote()}, ""},
		"open, ended, and under way, by their start": {[]slate.Note{noted(3, slate.Sending, 1, 0, "c"), noted(2, slate.Ended, 1, 2, "b"),
			originNote(), noted(1, slate.Open, 1, 1, "a"), noted(4, slate.Sending, 1, 1, "d")}, "Ab -cd"},
		"a span at its end":        {[]slate.Note{noted(1, slate.Open, 9, 1, "a"), noted(1, slate.Ended, 1, 1, "b")}, "b"},
		"a span at its end, again": {[]slate.Note{noted(1, slate.Sending, 1, 1, "b"), noted(1, slate.Open, 9, 1, "a")}, "-b"},
		"brought up to date":       {[]slate.Note{noted(1, slate.Open, 1, 1, "a"), noted(1, slate.Open, 2, 1, "b"), noted(2, slate.Open, 1, 2, "c")}, "BC"},
		"no span":                  {[]slate.Note{{State: slate.Open, Body: []byte("no span")}, noted(1, slate.Open, 1, 1, "a")}, "A"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := said(t, requestsOf(slate.Content{Notes: c.notes})); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// An open span ends when its process was last alive, as far as anybody can tell.
func TestRequestsOf_end(t *testing.T) {
	open := noted(1, slate.Open, 1, 10, "a")
	late := noted(2, slate.Ended, 1, 100, "b")
	never := noted(3, slate.Open, 1, math.MaxInt32, "c") // a time that a program has made up
	for name, c := range map[string]struct {
		alive int // seconds after the morning; negative is unknown
		notes []slate.Note
		end   int
	}{
		"it said so":                 {60, []slate.Note{open}, 60},
		"it did not":                 {-1, []slate.Note{open}, 10},
		"it said so before":          {5, []slate.Note{open}, 10},
		"another span ended later":   {60, []slate.Note{open, late}, 101},
		"another one is not to come": {60, []slate.Note{open, never}, 60},
	} {
		t.Run(name, func(t *testing.T) {
			content := slate.Content{Notes: c.notes}
			if c.alive >= 0 {
				content.Alive = morning.Add(time.Duration(c.alive) * time.Second)
			}
			s := spansOf(t, requestsOf(content)[0])[0]
			if got := time.Unix(0, int64(s.EndTimeUnixNano)).Sub(morning); got != time.Duration(c.end)*time.Second {
				t.Errorf("it ended after %v, want %d s", got, c.end)
			}
		})
	}
}

// A slate may hold more than a collector takes at once.
func TestRequestsOf_many(t *testing.T) {
	var notes []slate.Note
	for i := range 2*mostUnfinished + 1 {
		n := noted(1, slate.Ended, 1, i, "a")
		id := trace.SpanID{byte(i), byte(i >> 8), 1}
		n.Body = append([]byte(nil), n.Body...)
		copy(n.Body[20:], id[:])
		notes = append(notes, n)
	}
	large := noted(1, slate.Ended, 1, 1<<20, strings.Repeat("x", mostUnfinishedBytes))
	other := noted(2, slate.Ended, 1, 1<<21, strings.Repeat("y", mostUnfinishedBytes))
	requests := requestsOf(slate.Content{Notes: append(notes, large, other)})
	var items []int
	for _, r := range requests {
		items = append(items, r.Items)
	}
	if len(items) != 5 || items[0] != mostUnfinished || items[1] != mostUnfinished || items[2] != 1 || items[3] != 1 || items[4] != 1 {
		t.Errorf("requests of %v", items)
	}
}
