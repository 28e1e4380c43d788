//go:build !lens_off

package telemetry_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	colmetricpb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/metrics"
)

// never is an interval, in milliseconds, that no test lasts.
const never = "3600000"

func register(t *testing.T, g metrics.Group) {
	t.Helper()
	if err := metrics.Register(g); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := metrics.Unregister(g.Name); err != nil {
			t.Error(err)
		}
	})
}

// observing is a group with a value that is recorded, and a total that is observed.
func observing(name string, callback metrics.Callback) metrics.Group {
	return metrics.Group{Name: name, Metrics: []metrics.Metric{
		{Key: "loss", Name: name + ".loss"},
		{Key: "read", Name: name + ".read", Kind: metrics.ObservableCounter, Callback: callback},
	}}
}

// TestGroups: groups that were there before the set-up and those that come after it are exported, each total once, and observed
// for the last export of a shutdown too; a second set-up goes on with them.
func TestGroups(t *testing.T) {
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", never)
	var calls atomic.Int64
	seven := func(_ context.Context, observe metrics.Observe) { calls.Add(1); observe(7) }
	register(t, observing("before", seven))
	for i := range 2 {
		c := newCollector(t)
		h := start(t, config())
		if i == 0 {
			register(t, observing("after", seven))
		}
		metrics.Record(t.Context(), "before", metrics.Values{"loss": float64(i)})
		for tries := 0; c.metrics["before.read"] == nil || c.metrics["after.read"] == nil; tries++ { // a machine may be slow enough for a callback to be late
			if tries == 100 {
				t.Fatal("a group is not observed")
			}
			if err := h.ForceFlush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"before.read", "after.read"} {
			if p := c.metrics[name].GetSum().GetDataPoints(); len(p) != 1 || p[0].GetAsDouble() != 7 {
				t.Errorf("set-up %d: %s: %v", i, name, p)
			}
		}
		if p := c.metrics["before.loss"].GetGauge().GetDataPoints(); len(p) != 1 || p[0].GetAsDouble() != float64(i) {
			t.Errorf("set-up %d: before.loss: %v", i, p)
		}
		before := calls.Load()
		shutdown(t, h)
		if calls.Load() == before {
			t.Errorf("set-up %d: the shutdown observes nothing", i)
		}
	}
}

// TestGroups_slowCallback: SH-13. A callback that once takes longer than the time that an export has costs only itself: later
// intervals are exported, and it is among them when it is back.
func TestGroups_slowCallback(t *testing.T) {
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "50")
	t.Setenv("OTEL_METRIC_EXPORT_TIMEOUT", "1000")
	arrived := make(chan map[string]*metricpb.Metric)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request colmetricpb.ExportMetricsServiceRequest
		if proto.Unmarshal(body, &request) != nil {
			return
		}
		all := map[string]*metricpb.Metric{}
		for _, rm := range request.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, m := range sm.Metrics {
					all[m.Name] = m
				}
			}
		}
		select {
		case arrived <- all:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", server.URL+"/v1/metrics")

	var calls atomic.Int64
	release := make(chan struct{})
	register(t, observing("slow", func(_ context.Context, observe metrics.Observe) {
		if calls.Add(1) == 1 {
			<-release
		}
		observe(7)
	}))
	c := config()
	c.TracesEnabled = false
	h := start(t, c)
	patience := time.After(2 * time.Minute)
	next := func() map[string]*metricpb.Metric {
		select {
		case all := <-arrived:
			return all
		case <-patience:
			t.Fatal("nothing is exported any more")
			return nil
		}
	}
	for i := range 3 {
		metrics.Record(t.Context(), "slow", metrics.Values{"loss": float64(i + 1)})
		for {
			all := next()
			if all["slow.read"] != nil {
				t.Fatal("the callback is observed before it has said anything")
			}
			if p := all["slow.loss"].GetGauge().GetDataPoints(); len(p) == 1 && p[0].GetAsDouble() == float64(i+1) {
				break
			}
		}
	}
	close(release)
	for next()["slow.read"].GetSum().GetDataPoints() == nil {
	}
	go func() { // the last export has to be taken as well
		for range arrived {
		}
	}()
	shutdown(t, h)
	server.Close()
	close(arrived)
}
