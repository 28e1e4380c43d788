package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/otlp"
)

const demoRun = "be42a6f396c4"

func TestSelect(t *testing.T) {
	src := load(t, demo)
	all := traceIDs(t, src)
	for name, test := range map[string]struct {
		o    export.Options
		want int
	}{
		"all":                   {export.Options{}, len(all)},
		"by id":                 {export.Options{Traces: all[:2]}, 2},
		"an id twice":           {export.Options{Traces: []otlp.TraceID{all[0], all[0]}}, 1},
		"by run":                {export.Options{Run: demoRun}, len(all)},
		"by another run":        {export.Options{Run: "no such run"}, 0},
		"what names no run":     {export.Options{Run: "-"}, 0},
		"by environment":        {export.Options{Query: "env:example_multi_step"}, 4},
		"by id and environment": {export.Options{Query: "env:example_multi_step", Traces: all}, 4},
		"by root":               {export.Options{Query: "name=gym.job"}, 1},
		"nothing":               {export.Options{Query: "dur>1d"}, 0},
		"the newest":            {export.Options{Limit: 3}, 3},
		"more than there are":   {export.Options{Limit: 300}, len(all)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range export.Formats {
				test.o.Format = format
				text, done := write(t, src, test.o)
				if done.Traces != test.want || done.Empty() != (test.want == 0) {
					t.Errorf("%s: %d traces, want %d", format, done.Traces, test.want)
				}
				if format == export.OTLPJSON && strings.Count(text, "\n") != test.want {
					t.Errorf("%d lines, want %d", strings.Count(text, "\n"), test.want)
				}
			}
		})
	}
}

func TestSelect_newest(t *testing.T) {
	src := empty(t)
	for _, i := range []uint64{3, 1, 5, 2, 4} {
		add(t, src, sp{trace: i, id: 1, name: fmt.Sprint("t", i), service: "a", start: i * 1000, end: i*1000 + 1})
	}
	text, _ := write(t, src, export.Options{Format: export.CSV, Limit: 2})
	if got := slices.Sorted(slices.Values(column(rowsOf(t, text), "name"))); !slices.Equal(got, []string{"t4", "t5"}) {
		t.Errorf("the newest two are %q", got)
	}
	text, _ = write(t, src, export.Options{Format: export.CSV, Table: export.TraceRow, Limit: 3})
	if got := column(rowsOf(t, text), "root"); !slices.Equal(got, []string{"t3", "t4", "t5"}) {
		t.Errorf("the newest three are %q, want them by start", got)
	}
}

func TestSelect_rollouts(t *testing.T) {
	src := load(t, demo)
	for query, want := range map[string]int{"": 8, "attempt:1": 4, "env:multi reward>=1": 2, "reward<0": 0} {
		if _, done := write(t, src, export.Options{Format: export.CSV, Table: export.Rollouts, Query: query}); done.Rows != want {
			t.Errorf("%q: %d rollouts, want %d", query, done.Rows, want)
		}
	}
	text, _ := write(t, src, export.Options{Format: export.CSV, Table: export.Rollouts})
	starts := slices.Sorted(slices.Values(column(rowsOf(t, text), "start")))
	text, _ = write(t, src, export.Options{Format: export.CSV, Table: export.Rollouts, Limit: 2})
	if got := slices.Sorted(slices.Values(column(rowsOf(t, text), "start"))); !slices.Equal(got, starts[len(starts)-2:]) {
		t.Errorf("the newest began at %q, want %q", got, starts[len(starts)-2:])
	}
}

func TestMistakes(t *testing.T) {
	src := load(t, demo)
	for name, test := range map[string]struct {
		o    export.Options
		want string
	}{
		"limit":               {export.Options{Limit: -1}, "limit is -1"},
		"table":               {export.Options{Table: export.Spans}, "a table is for format csv, not for otlp-json"},
		"metrics in CSV":      {export.Options{Signal: export.Metrics, Format: export.CSV}, "format csv holds traces only; for metrics take otlp-json or otlp-proto"},
		"metrics by trace":    {export.Options{Signal: export.Metrics, Query: "env:x"}, "metrics belong to no trace"},
		"logs with a limit":   {export.Options{Signal: export.Logs, Limit: 3}, "a limit is for traces, not for logs"},
		"field":               {export.Options{Query: "rewrad<1"}, "Nearest: reward"},
		"field of rollouts":   {export.Options{Format: export.CSV, Table: export.Rollouts, Query: "rate>1"}, "rate"},
		"trace that is not":   {export.Options{Traces: []otlp.TraceID{{1}}}, "cannot export trace 01000000000000000000000000000000: it is not here"},
		"quoted run is a run": {export.Options{Run: `a" OR "b`, Query: "dru:1"}, "Nearest: dur"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if _, err := export.Write(t.Context(), &b, src, test.o); err == nil || !strings.Contains(err.Error(), test.want) || b.Len() > 0 {
				t.Errorf("error %v and %d bytes, want %q in it", err, b.Len(), test.want)
			}
		})
	}
	for _, parse := range []func(string) error{
		func(s string) error { _, err := export.ParseFormat(s); return err },
		func(s string) error { _, err := export.ParseSignal(s); return err },
		func(s string) error { _, err := export.ParseTable(s); return err },
	} {
		if err := parse("xml"); err == nil || !strings.Contains(err.Error(), `"xml": must be one of `) {
			t.Errorf("error %v", err)
		}
	}
	if f, err := export.ParseFormat("perfetto"); f != export.Chrome || err != nil {
		t.Errorf("perfetto is %q, %v", f, err)
	}
}

// signals is a store with metrics and logs of two runs.
func signals(t *testing.T) export.Source {
	t.Helper()
	src := empty(t)
	add(t, src, sp{trace: 1, id: 1, name: "one", service: "a", start: 1, end: 5}, sp{trace: 2, id: 1, name: "two", service: "a", start: 1, end: 90})
	for i, run := range []string{"", "first", "second"} {
		m, l := pmetric.NewMetrics(), plog.NewLogs()
		rm, rl := m.ResourceMetrics().AppendEmpty(), l.ResourceLogs().AppendEmpty()
		if run != "" {
			rm.Resource().Attributes().PutStr("nemo.run.id", run)
			rl.Resource().Attributes().PutStr("nemo.run.id", run)
		}
		metric := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		metric.SetName("gym.rollouts")
		sum := metric.SetEmptySum()
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		sum.DataPoints().AppendEmpty().SetIntValue(int64(1000 + i))
		for n := range uint64(3) {
			record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			record.Body().SetStr(fmt.Sprintf("run %q record %d", run, n))
			record.SetTraceID(pcommon.TraceID(traceID(n)))
		}
		metrics, err := pmetricotlp.NewExportRequestFromMetrics(m).MarshalProto()
		if err != nil {
			t.Fatal(err)
		}
		logs, err := plogotlp.NewExportRequestFromLogs(l).MarshalProto()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(src.Store.AddMetrics(t.Context(), metrics), src.Store.AddLogs(t.Context(), logs)); err != nil {
			t.Fatal(err)
		}
	}
	return src
}

func TestSignals(t *testing.T) {
	src := signals(t)
	for name, test := range map[string]struct {
		o    export.Options
		want int
		has  string
	}{
		"metrics":            {export.Options{Signal: export.Metrics}, 3, `"asInt":"1000"`},
		"metrics of a run":   {export.Options{Signal: export.Metrics, Run: "first"}, 1, `"asInt":"1001"`},
		"metrics of no run":  {export.Options{Signal: export.Metrics, Run: "-"}, 1, `"asInt":"1000"`},
		"metrics as message": {export.Options{Signal: export.Metrics, Format: export.OTLPProto}, 3, "gym.rollouts"},
		"logs":               {export.Options{Signal: export.Logs}, 9, `"stringValue":"run \"second\" record 2"`},
		"logs of a run":      {export.Options{Signal: export.Logs, Run: "second"}, 3, `run \"second\" record 0`},
		"logs of a trace":    {export.Options{Signal: export.Logs, Traces: []otlp.TraceID{traceID(2)}}, 3, `"traceId":"00000000000000000000000000000002"`},
		"logs of a query":    {export.Options{Signal: export.Logs, Query: "name:one"}, 3, `record 1`},
		"logs of both":       {export.Options{Signal: export.Logs, Query: "name:one", Run: "-"}, 1, `run \"\" record 1`},
		"logs of nothing":    {export.Options{Signal: export.Logs, Query: "name:three"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text, done := write(t, src, test.o)
			if done.Items != test.want || done.Empty() != (test.want == 0) || !strings.Contains(text, test.has) {
				t.Errorf("%d, want %d with %s in it\n%s", done.Items, test.want, test.has, text)
			}
			if test.o.Format == "" && test.want > 0 {
				again := loadText(t, text)
				test.o = export.Options{Signal: test.o.Signal}
				if twice, done := write(t, again, test.o); done.Items != test.want || twice != text && strings.Count(twice, "\n") == strings.Count(text, "\n") {
					t.Errorf("loaded and exported again: %d\n%s", done.Items, twice)
				}
			}
		})
	}
}

// An export ends when it is told to.
func TestWrite_interrupted(t *testing.T) {
	src := load(t, demo)
	stop := errors.New("stop")
	for _, o := range []export.Options{{}, {Format: export.CSV}, {Format: export.Chrome}, {Format: export.CSV, Table: export.Rollouts}, {Format: export.CSV, Table: export.TraceRow}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		if _, err := export.Write(ctx, io.Discard, src, o); !errors.Is(err, stop) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("disk is full")
	}
	return len(p), nil
}

func TestWrite_fails(t *testing.T) {
	src := load(t, demo, demo)
	for _, format := range export.Formats {
		for _, room := range []int{0, 20_000} {
			if _, err := export.Write(t.Context(), &failing{room}, src, export.Options{Format: format}); err == nil || !strings.Contains(err.Error(), "disk is full") {
				t.Errorf("%s with room for %d bytes: error %v", format, room, err)
			}
		}
	}
}

// high is the most that is alive while something is written.
type high struct {
	every, since int
	most         uint64
}

func (h *high) Write(p []byte) (int, error) {
	if h.since += len(p); h.since > h.every {
		h.since = 0
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return len(p), nil
}

// A store with five times the spans takes no more memory to export.
func TestWrite_memory(t *testing.T) {
	most := func(format export.Format, requests uint64) uint64 {
		src := empty(t)
		for i := range requests {
			var spans []sp
			for j := range uint64(100) {
				spans = append(spans, sp{trace: 1 + i*10 + j/10, id: 1 + j, name: "work", service: "a", start: 1 + i*100 + j, end: 5 + i*100 + j, edit: full})
			}
			add(t, src, spans...)
		}
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		h := &high{every: 1 << 20}
		if _, err := export.Write(t.Context(), h, src, export.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		return h.most - min(h.most, before.HeapAlloc)
	}
	for _, format := range export.Formats {
		small, large := most(format, 20), most(format, 100)
		if large > small+small/2+2<<20 {
			t.Errorf("%s: %d kB for 2,000 spans, %d kB for 10,000", format, small>>10, large>>10)
		}
	}
}
