package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer/web"
)

// addMetrics adds metrics of a process of the run.
func (b *bench) addMetrics(p who, fill func(pmetric.MetricSlice)) {
	b.t.Helper()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", p.service)
	if p.kind != "" {
		rm.Resource().Attributes().PutStr("nemo.run.id", runID)
	}
	fill(rm.ScopeMetrics().AppendEmpty().Metrics())
	body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.store.AddMetrics(context.Background(), body); err != nil {
		b.t.Fatal(err)
	}
}

// fillMetrics adds two exports of what Gym and a GenAI library record, ten seconds apart.
func (b *bench) fillMetrics() {
	for i := 1; i <= 2; i++ {
		t := clock(float64(10_000 * i))
		b.addMetrics(policy, func(ms pmetric.MetricSlice) {
			calls := newHistogram(ms, "gym.model_call.duration_ms", "ms")
			for k, outcome := range []string{"ok", "timeout"} {
				p := calls.AppendEmpty()
				p.SetStartTimestamp(clock(0))
				p.SetTimestamp(t)
				p.ExplicitBounds().FromRaw([]float64{100, 250, 500, 1000})
				p.BucketCounts().FromRaw([]uint64{uint64(10 * i), uint64(5 * i), 0, uint64(k * i), 0})
				p.SetCount(uint64((15 + k) * i))
				p.SetSum(1500 * float64(i))
				p.Attributes().PutStr("nemo.gym.model_call.outcome", outcome)
				p.Attributes().PutStr("nemo.gym.server.name", "policy_model")
			}
			usage := newHistogram(ms, "gen_ai.client.token.usage", "{token}").AppendEmpty()
			usage.SetTimestamp(t)
			usage.SetStartTimestamp(clock(0))
			usage.SetCount(uint64(i))
		})
		b.addMetrics(driver, func(ms pmetric.MetricSlice) {
			m := ms.AppendEmpty()
			m.SetName("gym.rollout.completed_total")
			m.SetDescription("Attempts that ended.")
			m.SetUnit("{rollout}")
			sum := m.SetEmptySum()
			sum.SetIsMonotonic(true)
			sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			for range 2 { // the second time it is a copy
				p := sum.DataPoints().AppendEmpty()
				p.SetStartTimestamp(clock(0))
				p.SetTimestamp(t)
				p.SetIntValue(int64(30 * i * i))
				p.Attributes().PutStr("nemo.gym.rollout.outcome", "scored")
			}
			m = ms.AppendEmpty()
			m.SetName("gym.sandbox.active")
			p := m.SetEmptyGauge().DataPoints().AppendEmpty()
			p.SetTimestamp(t)
			p.SetDoubleValue([]float64{3, math.NaN()}[i-1])
		})
	}
}

func newHistogram(ms pmetric.MetricSlice, name, unit string) pmetric.HistogramDataPointSlice {
	m := ms.AppendEmpty()
	m.SetName(name)
	m.SetUnit(unit)
	h := m.SetEmptyHistogram()
	h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	return h.DataPoints()
}

// ask reads an answer of the API.
func ask[T any](b *bench, path string) (out T) {
	b.t.Helper()
	w := b.get("/api/v1" + path)
	if w.Code != http.StatusOK {
		b.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// TestMetrics goes from the list to the points as the page does.
func TestMetrics(t *testing.T) {
	b := newBench(t, web.Options{})
	if m := ask[web.Metrics](b, "/metrics"); m.Run != nil || m.Total != 0 {
		t.Errorf("of an empty store: %+v", m)
	}
	b.fillMetrics()
	b.addMetrics(who{"plain", "", ""}, func(ms pmetric.MetricSlice) {
		m := ms.AppendEmpty()
		m.SetName(`http.server.<b>"duration"`)
		p := m.SetEmptyGauge().DataPoints().AppendEmpty()
		p.SetTimestamp(clock(1))
		p.SetDoubleValue(1)
	})
	m := ask[web.Metrics](b, "/metrics")
	if *m.Run != runID || len(m.Runs) != 2 || m.Runs[1].Run != "" || m.Total != 4 || m.Rows[3].Name != "gen_ai.client.token.usage" {
		t.Errorf("%+v", m)
	}
	if page := ask[web.Metrics](b, "/metrics?limit=3"); len(page.Rows) != 3 || page.Next == nil {
		t.Errorf("a page has %d rows", len(page.Rows))
	} else if rest := ask[web.Metrics](b, "/metrics?limit=3&cursor="+*page.Next); len(rest.Rows) != 1 || rest.Next != nil {
		t.Errorf("the next page has %d rows", len(rest.Rows))
	}
	if none := ask[web.Metrics](b, "/metrics?run=-"); none.Total != 1 || none.Rows[0].Name != `http.server.<b>"duration"` {
		t.Errorf("of no run: %+v", none)
	}
	c := ask[web.Chart](b, "/metrics/chart?run="+runID+"&name=gym.model_call.duration_ms")
	if len(c.Lines) != 2 || c.Total != 2 || *c.Lines[0].Values[0][0] != 75 || (*c.Lines[1].Counts)[1] != 16 || *c.Top != 1000 {
		t.Errorf("%+v", c)
	}
	if c := ask[web.Chart](b, "/metrics/chart?run="+runID+"&name=gym.model_call.duration_ms&by=*&lines=1"); len(c.Lines) != 1 || c.Lines[0].Series != 2 {
		t.Errorf("%+v", c)
	}
	if c := ask[web.Chart](b, "/metrics/chart?run="+runID+"&name=gym.sandbox.active&from="+fmt.Sprint(uint64(clock(10_000)))); len(c.Lines[0].Time) != 1 || c.Lines[0].Values[0][0] != nil {
		t.Errorf("%+v", c)
	}
	for path, want := range map[string]int{
		"/metrics?from=x": 400, "/metrics?cursor=x": 400, "/metrics/chart?run=" + runID: 400, "/metrics/chart?run=" + runID + "&name=no": 404,
		"/metrics/chart?name=gym.sandbox.active": 404, "/metrics/chart?run=" + runID + "&name=gym.sandbox.active&shows=rate": 404,
		"/metrics/chart?run=" + runID + "&name=gym.sandbox.active&lines=51": 400, "/metrics/chart?run=" + runID + "&name=gym.sandbox.active&shows=x": 400,
	} {
		if w := b.get("/api/v1" + path); w.Code != want {
			t.Errorf("%s: %d, want %d: %s", path, w.Code, want, w.Body)
		}
	}
	if s := ask[web.Status](b, "/status"); s.Metrics.Stored != 13 {
		t.Errorf("%d data points are stored", s.Metrics.Stored)
	}
}

// TestChartBounds keeps answers small, however much there is.
func TestChartBounds(t *testing.T) {
	b := newBench(t, web.Options{})
	for i := range 500 {
		b.addMetrics(policy, func(ms pmetric.MetricSlice) {
			m := ms.AppendEmpty()
			m.SetName("gym.gauge")
			points := m.SetEmptyGauge().DataPoints()
			for k := range 60 {
				x := points.AppendEmpty()
				x.SetTimestamp(clock(float64(1000 * i)))
				x.SetDoubleValue(float64(i * k))
				x.Attributes().PutInt("k", int64(k))
			}
		})
	}
	w := b.get("/api/v1/metrics/chart?run=" + runID + "&name=gym.gauge&lines=50&points=1000")
	if n := w.Body.Len(); w.Code != 200 || n > 1<<20 {
		t.Errorf("%d, %d bytes", w.Code, n)
	}
	c := ask[web.Chart](b, "/metrics/chart?run="+runID+"&name=gym.gauge&points=50")
	if len(c.Lines) != 8 || c.Total != 60 || len(c.Lines[0].Time) > 50 || c.Interval == nil {
		t.Errorf("%d lines of %d, %d points", len(c.Lines), c.Total, len(c.Lines[0].Time))
	}
	if w := b.get("/api/v1/metrics"); w.Body.Len() > 64<<10 {
		t.Errorf("the list has %d bytes", w.Body.Len())
	}
}

// TestRunLogs pages through the logs of a run, by level and text.
func TestRunLogs(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	for i := range 450 {
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("nemo.run.id", "long")
		l := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		l.SetTimestamp(clock(float64(i)))
		l.SetSeverityNumber([]plog.SeverityNumber{plog.SeverityNumberInfo, plog.SeverityNumberError, 0}[i%3])
		l.Body().SetStr(fmt.Sprintf("line %d", i))
		if i == 7 {
			l.SetTraceID(newTrace(0).id)
			l.SetSpanID(pcommon.SpanID{1})
		}
		b.addLogs(ld)
	}
	got, path := 0, "/runs/long/logs"
	for next := new(string); next != nil; {
		page := ask[web.RunLogs](b, path+"?cursor="+*next)
		if len(page.Rows) > 200 || *page.Total != 450 || *page.Matched != 450 || *page.Levels["error"] != 150 {
			t.Fatalf("%d rows, %v", len(page.Rows), page.Levels)
		}
		got += len(page.Rows)
		next = page.Next
	}
	if got != 450 {
		t.Errorf("all pages have %d rows", got)
	}
	errs := ask[web.RunLogs](b, path+"?level=error&limit=500")
	if len(errs.Rows) != 150 || *errs.Matched != 150 || errs.Rows[0].Severity != "ERROR" || errs.Rows[0].Body != "line 448" {
		t.Errorf("%d errors", len(errs.Rows))
	}
	text := ask[web.RunLogs](b, path+"?text=LINE+7")
	if text.Matched != nil || len(text.Rows) != 11 || text.Searched != 450 {
		t.Errorf("%d rows of %d", len(text.Rows), text.Searched)
	}
	if last := text.Rows[10]; last.Trace == nil || *last.At != begin.Unix() || last.Since != nil {
		t.Errorf("%+v", last)
	}
	if none := ask[web.RunLogs](b, "/runs/nobody/logs"); len(none.Rows) != 0 || *none.Total != 0 {
		t.Errorf("%+v", none)
	}
	d := ask[web.RunDetail](b, "/runs/"+runID)
	if *d.Counts.Logs != 3 || *d.Counts.Metrics != 0 {
		t.Errorf("%+v", d.Counts)
	}
	for _, bad := range []string{"?cursor=x", "?level=loud", "?limit=501"} {
		if w := b.get("/api/v1" + path + bad); w.Code != 400 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
}
