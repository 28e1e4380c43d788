package conventions

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Findings are what a run exported and the table does not have, each once. They take requests as a receiver's sink does
// (viewer/ingest). Methods are safe for concurrent use.
type Findings struct {
	table *Table
	mu    sync.Mutex
	seen  map[string]bool
	list  []string
	names map[string]int // how often a span or metric of the table came
}

// Observe begins to compare a run with the table.
func (t *Table) Observe() *Findings {
	return &Findings{table: t, seen: map[string]bool{}, names: map[string]int{}}
}

// List says what is not in the table, sorted.
func (f *Findings) List() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(slices.Values(f.list))
}

// Seen says how often a span, by its name in the table, or a metric came.
func (f *Findings) Seen(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names[name]
}

// Traces compares the spans of a request with the table: names, kinds, and the attributes of each, of events, links, scopes and the
// resource.
func (f *Findings) Traces(_ context.Context, req []byte) (rejected int, why string, err error) {
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalProto(req); err != nil {
		return 0, "", err
	}
	f.Spans(request.Traces())
	return 0, "", nil
}

// Metrics compares the metrics of a request with the table: names, instruments, units, descriptions and attributes.
func (f *Findings) Metrics(_ context.Context, req []byte) (rejected int, why string, err error) {
	request := pmetricotlp.NewExportRequest()
	if err := request.UnmarshalProto(req); err != nil {
		return 0, "", err
	}
	f.metrics(request.Metrics())
	return 0, "", nil
}

// Logs compares the resources and scopes of a request's log records with the table. Their own attributes are the keys of who logged.
func (f *Findings) Logs(_ context.Context, req []byte) (rejected int, why string, err error) {
	request := plogotlp.NewExportRequest()
	if err := request.UnmarshalProto(req); err != nil {
		return 0, "", err
	}
	f.logs(request.Logs())
	return 0, "", nil
}

func (f *Findings) say(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !f.seen[text] {
		f.seen[text] = true
		f.list = append(f.list, text)
	}
}

// Spans compares spans that were read from a file, as Traces does.
func (f *Findings) Spans(td ptrace.Traces) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, rs := range td.ResourceSpans().All() {
		f.resource(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			f.scope(ss.Scope())
			for _, s := range ss.Spans().All() {
				f.span(s)
			}
		}
	}
}

func (f *Findings) metrics(md pmetric.Metrics) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, rm := range md.ResourceMetrics().All() {
		f.resource(rm.Resource())
		for _, sm := range rm.ScopeMetrics().All() {
			f.scope(sm.Scope())
			for _, m := range sm.Metrics().All() {
				f.metric(m)
			}
		}
	}
}

func (f *Findings) logs(ld plog.Logs) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, rl := range ld.ResourceLogs().All() {
		f.resource(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			f.scope(sl.Scope())
		}
	}
}

func (f *Findings) resource(r pcommon.Resource) {
	for id, v := range r.Attributes().All() {
		if f.attribute("the resource", id, v) && !f.table.resource[id] {
			f.say("attribute %s is on the resource, and in no group of the type entity", id)
		}
	}
}

func (f *Findings) scope(s pcommon.InstrumentationScope) {
	known := f.table.scopes[s.Name()]
	if known == nil {
		f.say("scope %s is not in the table", s.Name())
		return
	}
	f.names[s.Name()]++
	f.attributes("scope "+s.Name(), s.Attributes(), known.Attributes)
}

func (f *Findings) span(s ptrace.Span) {
	what := "span " + s.Name()
	known := f.table.spanOf(s)
	if known == nil {
		f.say("%s of kind %s is not in the table", what, kindOf(s))
		return
	}
	f.names[known.Span]++
	f.attributes(what, s.Attributes(), append(f.table.of(known), f.table.anywhere...))
	for _, e := range s.Events().All() {
		if event := f.table.events[e.Name()]; event != nil {
			f.names[e.Name()]++
			f.attributes("event "+e.Name(), e.Attributes(), event.Attributes)
		} else {
			f.say("event %s of %s is not in the table", e.Name(), what)
		}
	}
	for _, l := range s.Links().All() {
		for id, v := range l.Attributes().All() {
			f.attribute("a link of "+what, id, v)
		}
	}
}

// spanOf finds a span by its kind and its name: as it stands in the table before the names that have attributes in them, which must
// be those of the span.
func (t *Table) spanOf(s ptrace.Span) *Span {
	value := func(id string) string {
		if v, ok := s.Attributes().Get(id); ok {
			return v.AsString()
		}
		return Hole // which no name has
	}
	var found *Span
	for i := range t.templates {
		tmpl := &t.templates[i]
		if tmpl.Kind != kindOf(s) || tmpl.fill(value) != s.Name() {
			continue
		}
		if len(tmpl.holes) == 0 {
			return tmpl.Span
		}
		if found == nil {
			found = tmpl.Span
		}
	}
	return found
}

func kindOf(s ptrace.Span) string {
	switch s.Kind() {
	case ptrace.SpanKindServer:
		return "server"
	case ptrace.SpanKindClient:
		return "client"
	case ptrace.SpanKindProducer:
		return "producer"
	case ptrace.SpanKindConsumer:
		return "consumer"
	}
	return "internal"
}

func (f *Findings) metric(m pmetric.Metric) {
	what := "metric " + m.Name()
	known := f.table.metrics[m.Name()]
	if known == nil {
		f.say("%s is not in the table", what)
		return
	}
	f.names[m.Name()]++
	for _, pair := range [...]struct{ field, is, want string }{
		{"instrument", instrumentOf(m), known.Instrument}, {"unit", m.Unit(), known.Unit}, {"description", m.Description(), known.Brief},
	} {
		if pair.is != pair.want {
			f.say("%s has the %s %q, and in the table %q", what, pair.field, pair.is, pair.want)
		}
	}
	for _, set := range setsOf(m) {
		f.attributes(what, set, known.Attributes)
	}
}

func instrumentOf(m pmetric.Metric) string {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return "gauge"
	case pmetric.MetricTypeHistogram, pmetric.MetricTypeExponentialHistogram:
		return "histogram"
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			return "counter"
		}
		return "updowncounter"
	}
	return m.Type().String()
}

// setsOf are the attributes of the points of a metric.
func setsOf(m pmetric.Metric) (out []pcommon.Map) {
	add := func(points pmetric.NumberDataPointSlice) {
		for _, p := range points.All() {
			out = append(out, p.Attributes())
		}
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		add(m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		add(m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			out = append(out, p.Attributes())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			out = append(out, p.Attributes())
		}
	}
	return out
}

// attributes compares what something has with what it may have.
func (f *Findings) attributes(what string, has pcommon.Map, may []string) {
	for id, v := range has.All() {
		if f.attribute(what, id, v) && !slices.Contains(may, id) {
			f.say("%s has the attribute %s, which is not one of its own in the table", what, id)
		}
	}
}

// attribute compares an attribute and its type with the table.
func (f *Findings) attribute(what, id string, v pcommon.Value) bool {
	known := f.table.attributes[id]
	if known == nil {
		f.say("attribute %s of %s is not in the table", id, what)
		return false
	}
	if is := typeOf(v); is != known.Type.Name {
		f.say("attribute %s of %s is a %s, and in the table a %s", id, what, is, known.Type.Name)
	}
	return true
}

func typeOf(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return "string"
	case pcommon.ValueTypeInt:
		return "int"
	case pcommon.ValueTypeDouble:
		return "double"
	case pcommon.ValueTypeBool:
		return "boolean"
	case pcommon.ValueTypeSlice:
		for _, e := range v.Slice().All() {
			if e.Type() != pcommon.ValueTypeStr {
				return "list"
			}
		}
		return "string[]"
	}
	return v.Type().String()
}
