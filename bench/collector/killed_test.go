package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/lensgo/lens/telemetry"
)

// A Collector is killed in the middle and started again on the same ports, twice: with a spool each span and each record arrives, and
// the sum of the counts. What arrives twice was under way when it died, and the sender counts it.
func TestKilled(t *testing.T) {
	const wave = 4000
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			c := collect(t, nil, "at_once.yaml")
			s := itself(t, append(sending(c.endpoint(protocol, "http"), protocol, "gzip"), "NEMO_LENS_SPOOL=1", "NEMO_LENS_SPOOL_DIR="+t.TempDir()+"/spool",
				"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=100", "OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_BLRP_MAX_QUEUE_SIZE=100000", "OTEL_BLRP_SCHEDULE_DELAY=20",
				"OTEL_METRIC_EXPORT_INTERVAL=50"), "waves")
			sent := 0
			send := func() {
				s.ask(t, fmt.Sprint("send ", wave))
				sent += wave
			}
			for range 2 {
				begun := len(written(t, c.folder, "traces"))
				send()
				waitUntil(t, "some has arrived", func() bool { return len(written(t, c.folder, "traces")) > begun })
				c.kill()
				c.quiet(t)
				send()
				waitUntil(t, "something is on disk", func() bool { return ask(t, s).Spooled > 0 })
				c.begin(t)
			}
			send()
			waitUntil(t, "everything is sent", func() bool { return ask(t, s).Exported == uint64(sent) })
			waitUntil(t, "all records have arrived, and the last count", func() bool {
				if !enough(t, c.folder, sent) {
					return false
				}
				n := numbersOf(t, c.folder)
				return len(n.records) == sent && n.done == float64(sent)
			})
			if _, err := fmt.Fprintln(s.stdin, "end"); err != nil {
				t.Fatal(err)
			}
			checkNumbers(t, last(t, s), sent, c)
		})
	}
}

// ask asks a sender for its counts.
func ask(t *testing.T, s *process) (stats telemetry.Stats) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.ask(t, "stats")), &stats); err != nil {
		t.Fatal(err)
	}
	return stats
}

// last waits for the end of a sender, and returns its last counts.
func last(t *testing.T, s *process) (stats telemetry.Stats) {
	t.Helper()
	out := s.ends(t)
	if len(out) == 0 || json.Unmarshal([]byte(out[len(out)-1]), &stats) != nil {
		t.Fatalf("the sender says %q and %s", out, &s.errs)
	}
	return stats
}

func checkNumbers(t *testing.T, stats telemetry.Stats, sent int, c *collector) {
	t.Helper()
	c.end(t)
	if stats.Ended != uint64(sent) || stats.Exported != uint64(sent) || stats.Dropped+stats.Failed+stats.Spooled > 0 {
		t.Errorf("%d spans, and the sender counts %+v", sent, stats)
	}
	got, twice := numbersOf(t, c.folder), 0
	for n := range sent {
		if got.spans[int64(n)] == 0 || got.records[int64(n)] == 0 {
			t.Fatalf("number %d has arrived as %d spans and %d records", n, got.spans[int64(n)], got.records[int64(n)])
		}
		if got.spans[int64(n)] > 1 {
			twice++
		}
	}
	if uint64(twice) > stats.Repeated {
		t.Errorf("%d spans arrived twice, and the sender counts %d at most", twice, stats.Repeated)
	}
	if got.done != float64(sent) {
		t.Errorf("the counter ends with %v, want %d", got.done, sent)
	}
	t.Logf("%d spans twice, at most %d by the counts", twice, stats.Repeated)
}

// enough is whether so many records may have arrived: it is asked again and again, and reading them takes long.
func enough(t *testing.T, folder string, records int) bool {
	t.Helper()
	found := 0
	for _, line := range written(t, folder, "logs") {
		found += bytes.Count(line, []byte(`"key":"n"`))
	}
	return found >= records
}

// numbers are what waves send: how often each number has arrived, and the last value of the counter.
type numbers struct {
	spans, records map[int64]int
	done           float64
}

func numbersOf(t *testing.T, folder string) numbers {
	t.Helper()
	d := received(t, folder)
	n := numbers{spans: map[int64]int{}, records: map[int64]int{}}
	for _, td := range d.traces {
		for _, one := range spans(td, false) {
			v, _ := one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("n")
			n.spans[v.Int()]++
		}
	}
	for _, ld := range d.logs {
		for _, one := range records(ld, false) {
			v, _ := one.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().Get("n")
			n.records[v.Int()]++
		}
	}
	for _, md := range d.metrics {
		for _, one := range points(md, false) {
			if m := one.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0); m.Name() == "sender.done" {
				n.done = max(n.done, m.Sum().DataPoints().At(0).DoubleValue())
			}
		}
	}
	return n
}
