package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// telemetryData is what was sent, or what has arrived.
type telemetryData struct {
	traces  []ptrace.Traces
	metrics []pmetric.Metrics
	logs    []plog.Logs
}

// received reads what Collectors have written into a folder. A line without its end is of one that was killed: it has not answered.
func received(t *testing.T, folder string) (d telemetryData) {
	t.Helper()
	for _, line := range written(t, folder, "traces") {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			t.Fatal(err)
		}
		d.traces = append(d.traces, td)
	}
	for _, line := range written(t, folder, "metrics") {
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			t.Fatal(err)
		}
		d.metrics = append(d.metrics, md)
	}
	for _, line := range written(t, folder, "logs") {
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		if err != nil {
			t.Fatal(err)
		}
		d.logs = append(d.logs, ld)
	}
	return d
}

func written(t *testing.T, folder, signal string) (lines [][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, signal+"-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if bytes.HasSuffix(line, []byte("\n")) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// items are spans, data points and records one by one, each with all that belongs to it, as OTLP in JSON. Without whole they come
// without their resource.
func (d telemetryData) items(t *testing.T, whole bool) (all []string) {
	t.Helper()
	add := func(text []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	for _, td := range d.traces {
		for _, one := range spans(td, whole) {
			add((&ptrace.JSONMarshaler{}).MarshalTraces(one))
		}
	}
	for _, md := range d.metrics {
		for _, one := range points(md, whole) {
			add((&pmetric.JSONMarshaler{}).MarshalMetrics(one))
		}
	}
	for _, ld := range d.logs {
		for _, one := range records(ld, whole) {
			add((&plog.JSONMarshaler{}).MarshalLogs(one))
		}
	}
	return all
}

func spans(td ptrace.Traces, whole bool) (all []ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				one := ptrace.NewTraces()
				r := one.ResourceSpans().AppendEmpty()
				if whole {
					rs.Resource().CopyTo(r.Resource())
					r.SetSchemaUrl(rs.SchemaUrl())
				}
				to := r.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(to.Scope())
				to.SetSchemaUrl(ss.SchemaUrl())
				s.CopyTo(to.Spans().AppendEmpty())
				all = append(all, one)
			}
		}
	}
	return all
}

func points(md pmetric.Metrics, whole bool) (all []pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for i := range pointsOf(m, -1) {
					one := pmetric.NewMetrics()
					r := one.ResourceMetrics().AppendEmpty()
					if whole {
						rm.Resource().CopyTo(r.Resource())
						r.SetSchemaUrl(rm.SchemaUrl())
					}
					to := r.ScopeMetrics().AppendEmpty()
					sm.Scope().CopyTo(to.Scope())
					to.SetSchemaUrl(sm.SchemaUrl())
					m.CopyTo(to.Metrics().AppendEmpty())
					pointsOf(to.Metrics().At(0), i)
					all = append(all, one)
				}
			}
		}
	}
	return all
}

// pointsOf counts the points of a metric, and leaves only one of them when that is 0 or more.
func pointsOf(m pmetric.Metric, only int) int {
	i := -1
	drop := func() bool { i++; return only >= 0 && i != only }
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		m.Gauge().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return drop() })
	case pmetric.MetricTypeSum:
		m.Sum().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return drop() })
	case pmetric.MetricTypeHistogram:
		m.Histogram().DataPoints().RemoveIf(func(pmetric.HistogramDataPoint) bool { return drop() })
	case pmetric.MetricTypeExponentialHistogram:
		m.ExponentialHistogram().DataPoints().RemoveIf(func(pmetric.ExponentialHistogramDataPoint) bool { return drop() })
	}
	return i + 1
}

func records(ld plog.Logs, whole bool) (all []plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				one := plog.NewLogs()
				r := one.ResourceLogs().AppendEmpty()
				if whole {
					rl.Resource().CopyTo(r.Resource())
					r.SetSchemaUrl(rl.SchemaUrl())
				}
				to := r.ScopeLogs().AppendEmpty()
				sl.Scope().CopyTo(to.Scope())
				to.SetSchemaUrl(sl.SchemaUrl())
				record.CopyTo(to.LogRecords().AppendEmpty())
				all = append(all, one)
			}
		}
	}
	return all
}
