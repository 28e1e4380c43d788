package load_test

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/semconv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stocks are made once for all tests.
var stocks = map[load.Shape]func() (*load.Stock, error){}

func init() {
	for _, shape := range []load.Shape{load.Gym, load.Generic, load.Single} {
		stocks[shape] = sync.OnceValues(func() (*load.Stock, error) { return load.NewStock(shape, load.Protobuf, load.JSON) })
	}
}

func stock(t *testing.T, shape load.Shape) *load.Stock {
	t.Helper()
	s, err := stocks[shape]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decode reads a request with pdata.
func decode(t *testing.T, b []byte, e load.Encoding) ptrace.Traces {
	t.Helper()
	r := ptraceotlp.NewExportRequest()
	err := r.UnmarshalProto(b)
	if e == load.JSON {
		err = r.UnmarshalJSON(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Traces()
}

func spans(td ptrace.Traces, fn func(ptrace.ResourceSpans, ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				fn(rs, s)
			}
		}
	}
}

func at(wave int) time.Time {
	return time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(wave) * time.Hour)
}

// Both encodings of a request say the same, in every wave and shape.
func TestSource_encodings_agree(t *testing.T) {
	for _, shape := range []load.Shape{load.Gym, load.Generic, load.Single} {
		t.Run(string(shape), func(t *testing.T) {
			s := stock(t, shape)
			o := load.Options{Seed: 3, Run: "agreed", RunWaves: 5, Clock: at}
			a, b := load.NewSource(s, o), load.NewSource(s, o)
			for range 8 * a.PerWave() {
				pb, n := a.Next(nil, load.Protobuf)
				text, m := b.Next(nil, load.JSON)
				if n != m {
					t.Fatalf("numbers %d and %d", n, m)
				}
				if n%37 != 0 {
					continue
				}
				one, err := ptraceotlp.NewExportRequestFromTraces(decode(t, pb, load.Protobuf)).MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(one), string(text)); diff != "" {
					t.Fatalf("request %d differs (-protobuf +json):\n%s", n, diff)
				}
			}
		})
	}
}

// No two waves share a trace, and each rollout of a run is another attempt.
func TestSource_waves_differ(t *testing.T) {
	s := load.NewSource(stock(t, load.Gym), load.Options{Run: "differ", RunWaves: 7, Clock: at})
	const waves = 8
	perTrace, rollouts := map[string]int{}, map[[3]string]string{}
	for range waves * s.PerWave() {
		b, n := s.Next(nil, load.Protobuf)
		wave := n / s.PerWave()
		count := 0
		spans(decode(t, b, load.Protobuf), func(rs ptrace.ResourceSpans, sp ptrace.Span) {
			count++
			id := sp.TraceID().String()
			perTrace[id]++
			if end := sp.EndTimestamp().AsTime(); end.After(at(wave)) || end.Before(at(wave).Add(-time.Hour)) {
				t.Fatalf("span of wave %d ends at %v", wave, end)
			}
			run, _ := rs.Resource().Attributes().Get(semconv.NemoRunID)
			if run.Str() != s.RunName(wave) {
				t.Fatalf("run %q, want %q", run.Str(), s.RunName(wave))
			}
			if sp.Name() != semconv.SpanGymRollout {
				return
			}
			task, _ := sp.Attributes().Get(semconv.GymTaskIndex)
			index, _ := sp.Attributes().Get(semconv.GymRolloutIndex)
			name, _ := sp.Attributes().Get(semconv.GymRolloutID)
			if name.Str() != task.AsString()+"-"+index.AsString() {
				t.Fatalf("rollout %q of task %s, index %s", name.Str(), task.AsString(), index.AsString())
			}
			key := [3]string{run.Str(), task.AsString(), index.AsString()}
			if other, ok := rollouts[key]; ok {
				t.Fatalf("rollout %v is in traces %s and %s", key, other, id)
			}
			rollouts[key] = id
		})
		if count != load.Batch {
			t.Fatalf("request %d has %d spans", n, count)
		}
	}
	if len(rollouts) != waves*512 || len(perTrace) != waves*512 {
		t.Errorf("%d rollouts in %d traces, want %d", len(rollouts), len(perTrace), waves*512)
	}
	for id, n := range perTrace {
		if n != 13 {
			t.Fatalf("trace %s has %d spans", id, n)
		}
	}
	for i := range 100 {
		if id := s.TraceID(i, uint64(i)*77); perTrace[id] == 0 {
			t.Fatalf("TraceID names %s, which was not sent", id)
		}
	}
}

func TestSource_single(t *testing.T) {
	s := load.NewSource(stock(t, load.Single), load.Options{})
	for range 3 * s.PerWave() {
		b, n := s.Next(nil, load.Protobuf)
		want := s.TraceID(n, 0)
		spans(decode(t, b, load.Protobuf), func(_ ptrace.ResourceSpans, sp ptrace.Span) {
			if sp.TraceID().String() != want {
				t.Fatalf("request %d has trace %s, want %s", n, sp.TraceID(), want)
			}
		})
	}
}

func TestLargeTrace(t *testing.T) {
	for _, want := range []int{1, 14, 10_000} {
		reqs, id, err := load.LargeTrace(1, want)
		if err != nil {
			t.Fatal(err)
		}
		ids, roots, got := map[string]bool{}, 0, 0
		parents := map[string]bool{}
		for _, b := range reqs {
			spans(decode(t, b, load.Protobuf), func(_ ptrace.ResourceSpans, sp ptrace.Span) {
				got++
				tr := sp.TraceID()
				if hex.EncodeToString(tr[:]) != id {
					t.Fatalf("trace %x, want %s", tr, id)
				}
				ids[sp.SpanID().String()] = true
				if sp.ParentSpanID().IsEmpty() {
					roots++
				} else {
					parents[sp.ParentSpanID().String()] = true
				}
			})
		}
		if got != want || len(ids) != want || roots != 1 {
			t.Errorf("%d spans, %d ids, %d roots, want %d", got, len(ids), roots, want)
		}
		missing := 0
		for p := range parents {
			if !ids[p] {
				missing++
			}
		}
		if missing > 1 { // of the rollout that was cut
			t.Errorf("%d parents are missing", missing)
		}
	}
}

func TestNewStock_of_nothing(t *testing.T) {
	if _, err := load.NewStock("square"); err == nil || !strings.Contains(err.Error(), `"square"`) {
		t.Errorf("error %v", err)
	}
}

// refusing takes some requests and then none.
type refusing struct {
	mu   sync.Mutex
	left int
}

var errRefused = errors.New("refused")

func (r *refusing) Send(context.Context, []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == 0 {
		return errRefused
	}
	r.left--
	return nil
}

func (*refusing) Encoding() load.Encoding { return load.Protobuf }
func (*refusing) Close()                  {}

func TestDrive(t *testing.T) {
	s := stock(t, load.Single)
	r := &refusing{left: 1000}
	n, err := load.Drive(t.Context(), load.NewSource(s, load.Options{}), []load.Sender{r, r, r}, load.Until{Spans: 10 * load.Batch})
	if n != 10*load.Batch || err != nil || r.left != 990 {
		t.Errorf("sent %d spans, %v, %d left", n, err, r.left)
	}
	var mu sync.Mutex
	acked := 0
	n, err = load.Drive(t.Context(), load.NewSource(s, load.Options{}), []load.Sender{r, r}, load.Until{Acked: func(int) { mu.Lock(); acked++; mu.Unlock() }})
	if n != 990*load.Batch || acked != 990 || !errors.Is(err, errRefused) {
		t.Errorf("sent %d spans in %d requests, %v", n, acked, err)
	}
	r.left = 1 << 30
	if n, err = load.Drive(t.Context(), load.NewSource(s, load.Options{}), []load.Sender{r, r}, load.Until{For: 1}); n < load.Batch || err != nil {
		t.Errorf("in no time it sent %d spans, %v", n, err)
	}
	start := time.Now()
	n, err = load.Drive(t.Context(), load.NewSource(s, load.Options{}), []load.Sender{r}, load.Until{Spans: 3 * load.Batch, PerSecond: 100 * load.Batch})
	if n != 3*load.Batch || err != nil || time.Since(start) < 20*time.Millisecond {
		t.Errorf("sent %d spans in %v, %v", n, time.Since(start), err)
	}
}

// BenchmarkNext is what making a request costs.
func BenchmarkNext(b *testing.B) {
	for _, e := range []load.Encoding{load.Protobuf, load.JSON} {
		b.Run(string(e), func(b *testing.B) {
			st, err := load.NewStock(load.Gym, e)
			if err != nil {
				b.Fatal(err)
			}
			s := load.NewSource(st, load.Options{})
			var buf []byte
			for b.Loop() {
				buf, _ = s.Next(buf, e)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/load.Batch, "ns/span")
		})
	}
}
