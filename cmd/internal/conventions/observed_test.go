package conventions_test

import (
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/cmd/internal/conventions"
)

func observe(t *testing.T) *conventions.Findings {
	t.Helper()
	table, err := conventions.Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	return table.Observe()
}

func says(t *testing.T, found *conventions.Findings, want string) {
	t.Helper()
	var all []string
	if want != "" {
		all = []string{want}
	}
	if got := found.List(); !slices.Equal(got, all) {
		t.Errorf("it says %q, want %q", got, all)
	}
}

// exported is a span with what it came with.
type exported struct {
	ptrace.Span
	resource pcommon.Resource
	scope    pcommon.InstrumentationScope
}

// TestSpans: a span that is as the table has it is fine, and each thing that is not is said.
func TestSpans(t *testing.T) {
	for name, c := range map[string]struct {
		change func(exported)
		want   string
	}{
		"fine":    {func(exported) {}, ""},
		"no name": {func(s exported) { s.SetName("play") }, "span play of kind internal is not in the table"},
		"another kind": {func(s exported) { s.SetKind(ptrace.SpanKindServer) },
			"span work of kind server is not in the table"},
		"an unknown attribute": {func(s exported) { s.Attributes().PutStr("b", "") },
			"attribute b of span work is not in the table"},
		"an attribute of others": {func(s exported) { s.Attributes().PutStr("a.place", "") },
			"span work has the attribute a.place, which is not one of its own in the table"},
		"a type": {func(s exported) { s.Attributes().PutStr("a.count", "1") },
			"attribute a.count of span work is a string, and in the table a int"},
		"a list": {func(s exported) { s.Attributes().PutEmptySlice("a.list").AppendEmpty().SetInt(1) },
			"attribute a.list of span work is a list, and in the table a string[]"},
		"a mark": {func(s exported) { s.Attributes().PutBool("a.mark", true) }, ""},
		"an event": {func(s exported) { s.Events().AppendEmpty().SetName("a.fell") },
			"event a.fell of span work is not in the table"},
		"an event's attribute": {func(s exported) {
			e := s.Events().AppendEmpty()
			e.SetName("a.broke")
			e.Attributes().PutInt("a.count", 1)
		}, "event a.broke has the attribute a.count, which is not one of its own in the table"},
		"a link's attribute": {func(s exported) { s.Links().AppendEmpty().Attributes().PutStr("b", "") },
			"attribute b of a link of span work is not in the table"},
		"a resource": {func(s exported) { s.resource.Attributes().PutStr("a.text", "") },
			"attribute a.text is on the resource, and in no group of the type entity"},
		"a scope": {func(s exported) { s.scope.SetName("other") }, "scope other is not in the table"},
		"a scope's attribute": {func(s exported) { s.scope.Attributes().PutInt("a.count", 1) },
			"scope lib has the attribute a.count, which is not one of its own in the table"},
		"a name with an attribute": {func(s exported) {
			s.SetKind(ptrace.SpanKindClient)
			s.SetName("do x")
			s.Attributes().PutStr("a.text", "x")
		}, ""},
		"a name with another attribute": {func(s exported) {
			s.SetKind(ptrace.SpanKindClient)
			s.SetName("do x")
			s.Attributes().PutStr("a.text", "y")
		}, "span do x of kind client is not in the table"},
		"a name without the attribute": {func(s exported) {
			s.SetKind(ptrace.SpanKindClient)
			s.SetName("do ")
		}, "span do  of kind client is not in the table"},
		"the name itself first": {func(s exported) {
			s.SetKind(ptrace.SpanKindClient)
			s.SetName("do it")
			s.Attributes().PutStr("a.text", "it")
		}, "span do it has the attribute a.text, which is not one of its own in the table"},
	} {
		t.Run(name, func(t *testing.T) {
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("a.place", "here")
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName("lib")
			s := ss.Spans().AppendEmpty()
			s.SetName("work")
			s.SetKind(ptrace.SpanKindInternal)
			c.change(exported{s, rs.Resource(), ss.Scope()})
			found := observe(t)
			found.Spans(td)
			found.Spans(td) // each is said once
			says(t, found, c.want)
			if name == "fine" && found.Seen("work") != 2 {
				t.Errorf("the span came %d times", found.Seen("work"))
			}
		})
	}
}

// TestMetrics: likewise of metrics.
func TestMetrics(t *testing.T) {
	for name, c := range map[string]struct {
		change func(pmetric.Metric)
		want   string
	}{
		"fine":          {func(pmetric.Metric) {}, ""},
		"no name":       {func(m pmetric.Metric) { m.SetName("a.size") }, "metric a.size is not in the table"},
		"a unit":        {func(m pmetric.Metric) { m.SetUnit("ms") }, `metric a.time has the unit "ms", and in the table "s"`},
		"a description": {func(m pmetric.Metric) { m.SetDescription("x") }, `metric a.time has the description "x", and in the table "How long."`},
		"an instrument": {func(m pmetric.Metric) { m.SetEmptyGauge() }, `metric a.time has the instrument "gauge", and in the table "histogram"`},
		"a counter":     {func(m pmetric.Metric) { m.SetEmptySum().SetIsMonotonic(true) }, `metric a.time has the instrument "counter", and in the table "histogram"`},
		"up and down":   {func(m pmetric.Metric) { m.SetEmptySum() }, `metric a.time has the instrument "updowncounter", and in the table "histogram"`},
		"an attribute":  {func(m pmetric.Metric) { m.Histogram().DataPoints().At(0).Attributes().PutInt("a.count", 1) }, "metric a.time has the attribute a.count, which is not one of its own in the table"},
		"an exponential": {func(m pmetric.Metric) {
			m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty().Attributes().PutStr("b", "")
		}, "attribute b of metric a.time is not in the table"},
	} {
		t.Run(name, func(t *testing.T) {
			md := pmetric.NewMetrics()
			sm := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
			sm.Scope().SetName("lib")
			m := sm.Metrics().AppendEmpty()
			m.SetName("a.time")
			m.SetUnit("s")
			m.SetDescription("How long.")
			m.SetEmptyHistogram().DataPoints().AppendEmpty().Attributes().PutStr("a.word", "one")
			c.change(m)
			req, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
			if err != nil {
				t.Fatal(err)
			}
			found := observe(t)
			if _, _, err := found.Metrics(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			says(t, found, c.want)
		})
	}
}

// TestLogs: of log records only what they come from is compared.
func TestLogs(t *testing.T) {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("b", "")
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("lib")
	sl.LogRecords().AppendEmpty().Attributes().PutStr("whatever", "")
	req, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	found := observe(t)
	if _, _, err := found.Logs(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	says(t, found, "attribute b of the resource is not in the table")
}
