package logs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// line is a log record of a test.
type line struct {
	run   string
	trace byte
	time  int // seconds
	level plog.SeverityNumber
	text  string // of the severity
	body  string
	key   string // of an attribute
}

func request(tb testing.TB, lines ...line) []byte {
	tb.Helper()
	ld := plog.NewLogs()
	for _, l := range lines {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", "agent")
		if l.run != "" {
			rl.Resource().Attributes().PutStr("nemo.run.id", l.run)
		}
		r := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		if l.trace > 0 {
			r.SetTraceID(pcommon.TraceID{15: l.trace})
		}
		r.SetTimestamp(pcommon.Timestamp(uint64(l.time) * 1e9))
		r.SetSeverityNumber(l.level)
		r.SetSeverityText(l.text)
		r.Body().SetStr(l.body)
		if l.key != "" {
			r.Attributes().PutStr(l.key, "Value")
		}
	}
	b, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func open(tb testing.TB, dir string, o store.Options) (*store.Store, *logs.Model) {
	tb.Helper()
	m := logs.NewModel()
	o.Logs = m
	s, err := store.Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closeStore(tb, s) })
	return s, m
}

func closeStore(tb testing.TB, s *store.Store) {
	tb.Helper()
	if err := s.Close(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

func add(tb testing.TB, s *store.Store, lines ...line) {
	tb.Helper()
	if err := s.AddLogs(tb.Context(), request(tb, lines...)); err != nil {
		tb.Fatal(err)
	}
}

// fill adds n records of two runs and of none, over many traces, in chunks that hold a few requests.
func fill(tb testing.TB, s *store.Store, n int) {
	for i := range n {
		add(tb, s,
			line{run: "one", trace: byte(1 + i%200), time: i, level: plog.SeverityNumber(1 + i%24), body: fmt.Sprint("line ", i)},
			line{run: "two", time: i, text: "warning", body: fmt.Sprint("other ", i)},
			line{time: i, body: "nobody's"})
	}
}

func bodies(list []logs.Record) (out []string) {
	for _, r := range list {
		out = append(out, r.Body().AsString())
	}
	return out
}

func ofTrace(tb testing.TB, s *store.Store, trace byte) (out []string) {
	tb.Helper()
	if _, err := logs.Trace(tb.Context(), s, otlp.TraceID{15: trace}, func(r logs.Record) error {
		out = append(out, r.Body().AsString())
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	return out
}

// ofRun reads all pages.
func ofRun(tb testing.TB, s *store.Store, q logs.Query) (out []string) {
	tb.Helper()
	for {
		p, err := logs.Run(tb.Context(), s, q)
		if err != nil {
			tb.Fatal(err)
		}
		if len(p.Records) > q.Limit || len(p.Records) < q.Limit && p.Next != "" {
			tb.Fatalf("a page has %d records, then %q", len(p.Records), p.Next)
		}
		out = append(out, bodies(p.Records)...)
		if q.Cursor = p.Next; q.Cursor == "" {
			return out
		}
	}
}

// TestFind searches in segments, in what waits for one and in the log; again after a restart; and after the process was killed.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	o := store.Options{ChunkBytes: 2000}
	s, m := open(t, dir, o)
	const n = 400
	fill(t, s, n)
	check := func(s *store.Store, m *logs.Model) {
		t.Helper()
		if got := ofTrace(t, s, 7); !slices.Equal(got, []string{"line 6", "line 206"}) {
			t.Errorf("the trace has %q", got)
		}
		if c := logs.Chunks(s, otlp.TraceID{15: 7}); c < 1 || c > 4 {
			t.Errorf("a trace of two records is looked for in %d chunks", c)
		}
		got := ofRun(t, s, logs.Query{Run: "one", Limit: 37})
		if len(got) != n || got[0] != fmt.Sprint("line ", n-1) || got[n-1] != "line 0" {
			t.Errorf("the run has %d records: %q", len(got), got)
		}
		c, ok := m.Counts("one")
		if !ok || c.Total() != n || c.From(logs.Error) != c[logs.Error]+c[logs.Fatal] {
			t.Errorf("counts are %v", c)
		}
		errs := ofRun(t, s, logs.Query{Run: "one", Least: logs.Error, Limit: 10})
		if int64(len(errs)) != c.From(logs.Error) || slices.Contains(errs, "line 0") {
			t.Errorf("%d records are errors, counted are %d", len(errs), c.From(logs.Error))
		}
		if c, _ := m.Counts("two"); c[logs.Warn] != n {
			t.Errorf("counts are %v, all say warning", c)
		}
		if got := ofRun(t, s, logs.Query{Run: "", Limit: 200}); len(got) != n {
			t.Errorf("%d records are of no run", len(got))
		}
		if c, ok := m.Counts("three"); !ok || c.Total() != 0 || len(ofRun(t, s, logs.Query{Run: "three", Limit: 5})) != 0 {
			t.Errorf("a run that is not there has %v", c)
		}
	}
	check(s, m)
	killed := t.TempDir()
	for _, e := range names(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, e))
		if err == nil {
			err = os.WriteFile(filepath.Join(killed, e), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	s, m = open(t, dir, o)
	check(s, m)
	s, m = open(t, killed, o)
	check(s, m)
}

func names(tb testing.TB, dir string) (list []string) {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.zst"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, path := range found {
		list = append(list, filepath.Base(path))
	}
	return list
}

// TestText looks into bodies and attributes, whatever the case.
func TestText(t *testing.T) {
	s, _ := open(t, t.TempDir(), store.Options{})
	add(t, s, line{run: "one", time: 1, body: "The MODEL answered"}, line{run: "one", time: 2, body: "x", key: "model.name"}, line{run: "one", time: 3, body: "y", key: "k"}, line{run: "two", time: 4, body: "model"})
	for text, want := range map[string][]string{"Model": {"x", "The MODEL answered"}, "value": {"y", "x"}, "": {"y", "x", "The MODEL answered"}, "nothing": nil} {
		if got := ofRun(t, s, logs.Query{Run: "one", Text: text, Limit: 10}); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// TestOrder sorts a page by time though senders take turns, and pages go on while more arrives.
func TestOrder(t *testing.T) {
	s, _ := open(t, t.TempDir(), store.Options{})
	for i := range 10 {
		add(t, s, line{run: "one", time: 10*i + 5*(i%2)*-1 + 100, body: fmt.Sprint(i)})
	}
	p, err := logs.Run(t.Context(), s, logs.Query{Run: "one", Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(p.Records, func(a, b logs.Record) int { return int(b.Time()) - int(a.Time()) }) {
		t.Errorf("the page is %q", bodies(p.Records))
	}
	add(t, s, line{run: "one", time: 999, body: "new"})
	q := logs.Query{Run: "one", Limit: 4, Cursor: p.Next}
	if rest := ofRun(t, s, q); len(rest) != 6 || slices.Contains(rest, "new") {
		t.Errorf("then come %q", rest)
	}
}

// TestSearchEnds gives what it has when its time is over, and a place to go on.
func TestSearchEnds(t *testing.T) {
	s, _ := open(t, t.TempDir(), store.Options{ChunkBytes: 500})
	fill(t, s, 100)
	q := logs.Query{Run: "one", Text: "line 1", Within: time.Nanosecond, Limit: 1000}
	var got []string
	pages := 0
	for ; ; pages++ {
		p, err := logs.Run(t.Context(), s, q)
		if err != nil || p.Searched == 0 {
			t.Fatalf("searched %d, %v", p.Searched, err)
		}
		got = append(got, bodies(p.Records)...)
		if q.Cursor = p.Next; q.Cursor == "" {
			break
		}
	}
	if len(got) != 11 || pages < 5 {
		t.Errorf("%d pages have %q", pages, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := logs.Run(ctx, s, logs.Query{Run: "one"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	for _, bad := range []string{"x", "1", "1-x", "1--1", "-5"} {
		if _, err := logs.Run(t.Context(), s, logs.Query{Run: "one", Cursor: bad}); !errors.Is(err, logs.ErrCursor) {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
}

// TestForget counts only what is stored.
func TestForget(t *testing.T) {
	s, m := open(t, t.TempDir(), store.Options{ChunkBytes: 1000, MaxBytes: 20_000})
	fill(t, s, 1500)
	closeStore(t, s)
	got := ofRun(t, s, logs.Query{Run: "one", Limit: 1000})
	if c, _ := m.Counts("one"); c.Total() != int64(len(got)) || len(got) == 1500 || len(got) == 0 {
		t.Errorf("%d records are counted, %d are stored", c.Total(), len(got))
	}
	m.Forget(store.Removed{}, []byte("damaged"))
	if err := m.Merge(0, []byte{1, 200}); err == nil {
		t.Error("a damaged footer is taken")
	}
}

// TestNotLogs survives what a sender put there as logs.
func TestNotLogs(t *testing.T) {
	s, m := open(t, t.TempDir(), store.Options{})
	add(t, s, line{run: "one", body: "before"})
	if err := s.AddLogs(t.Context(), []byte{0x0a, 2, 0xff, 0xff}); err != nil { // a frame that is whole, and nothing in it
		t.Fatal(err)
	}
	p, err := logs.Run(t.Context(), s, logs.Query{Run: "one"})
	if err != nil || p.Damaged != 1 {
		t.Errorf("%d chunks are damaged, %v", p.Damaged, err)
	}
	if c, _ := m.Counts("one"); c.Total() != 1 {
		t.Errorf("counts are %v", c)
	}
}

// FuzzRead takes any request and any footer.
func FuzzRead(f *testing.F) {
	f.Add(request(f, line{run: "one", trace: 3, time: 1, level: 9, body: "x"}), []byte{1, 1, 'x', 1, 2, 3, 4, 5, 6, 7})
	f.Fuzz(func(t *testing.T, req, footer []byte) {
		m := logs.NewModel()
		b := m.Read(req)
		m.Add(b, 0, 1)
		again := logs.NewModel()
		seal := m.Seal()
		if err := again.Merge(0, seal); err != nil {
			t.Fatal(err)
		}
		for _, run := range []string{"", "one"} {
			x, _ := m.Counts(run)
			y, _ := again.Counts(run)
			if x != y || x.Total() > int64(b.Items) {
				t.Errorf("%q has %v, after a restart %v, of %d", run, x, y, b.Items)
			}
		}
		if err := again.Merge(0, footer); err == nil {
			again.Forget(store.Removed{}, footer)
		}
	})
}
