package export

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// repair returns spans in which every text is UTF-8, bad bytes replaced by U+FFFD, and whether that changed anything.
// Protobuf refuses a message with one bad string in it, and with that span its whole batch.
func repair(spans []sdktrace.ReadOnlySpan) ([]sdktrace.ReadOnlySpan, bool) {
	var out []sdktrace.ReadOnlySpan
	for i, s := range spans {
		r, bad := repairSpan(s)
		if bad && out == nil {
			out = append(make([]sdktrace.ReadOnlySpan, 0, len(spans)), spans[:i]...)
		}
		if out != nil {
			out = append(out, r)
		}
	}
	if out == nil {
		return spans, false
	}
	return out, true
}

// repaired is a span with other texts.
type repaired struct {
	sdktrace.ReadOnlySpan
	name   string
	attrs  []attribute.KeyValue
	events []sdktrace.Event
	links  []sdktrace.Link
	status sdktrace.Status
	scope  instrumentation.Scope
}

func (r *repaired) Name() string                                { return r.name }
func (r *repaired) Attributes() []attribute.KeyValue            { return r.attrs }
func (r *repaired) Events() []sdktrace.Event                    { return r.events }
func (r *repaired) Links() []sdktrace.Link                      { return r.links }
func (r *repaired) Status() sdktrace.Status                     { return r.status }
func (r *repaired) InstrumentationScope() instrumentation.Scope { return r.scope }

func repairSpan(s sdktrace.ReadOnlySpan) (sdktrace.ReadOnlySpan, bool) {
	var f fixer
	r := &repaired{ReadOnlySpan: s, name: f.text(s.Name()), attrs: f.attributes(s.Attributes()), status: s.Status()}
	r.status.Description = f.text(r.status.Description)
	for _, e := range s.Events() {
		e.Name, e.Attributes = f.text(e.Name), f.attributes(e.Attributes)
		r.events = append(r.events, e)
	}
	for _, l := range s.Links() {
		l.Attributes = f.attributes(l.Attributes)
		r.links = append(r.links, l)
	}
	r.scope = s.InstrumentationScope()
	r.scope.Name, r.scope.Version = f.text(r.scope.Name), f.text(r.scope.Version)
	r.scope.SchemaURL = f.text(r.scope.SchemaURL)
	r.scope.Attributes = attribute.NewSet(f.attributes(r.scope.Attributes.ToSlice())...)
	return r, f.changed
}

// fixer replaces what is not UTF-8 and remembers whether it had to.
type fixer struct{ changed bool }

func (f *fixer) text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	f.changed = true
	return strings.ToValidUTF8(s, "\ufffd")
}

func (f *fixer) attributes(attrs []attribute.KeyValue) []attribute.KeyValue {
	out := make([]attribute.KeyValue, len(attrs))
	for i, kv := range attrs {
		out[i] = attribute.KeyValue{Key: attribute.Key(f.text(string(kv.Key))), Value: f.value(kv.Value)}
	}
	return out
}

func (f *fixer) value(v attribute.Value) attribute.Value {
	switch v.Type() {
	case attribute.STRING:
		return attribute.StringValue(f.text(v.AsString()))
	case attribute.STRINGSLICE:
		list := v.AsStringSlice()
		for i, s := range list {
			list[i] = f.text(s)
		}
		return attribute.StringSliceValue(list)
	case attribute.SLICE:
		list := v.AsSlice()
		for i, e := range list {
			list[i] = f.value(e)
		}
		return attribute.SliceValue(list...)
	case attribute.MAP:
		return attribute.MapValue(f.attributes(v.AsMap())...)
	}
	return v
}

// repairRecords does the same with log records, in their place: an exporter owns what it is given.
func repairRecords(records []sdklog.Record) {
	for i := range records {
		repairRecord(&records[i])
	}
}

func repairRecord(r *sdklog.Record) {
	var body, rest fixer
	if v := body.value(r.Body()); body.changed {
		r.SetBody(v)
	}
	r.SetEventName(rest.text(r.EventName()))
	r.SetSeverityText(rest.text(r.SeverityText()))
	var attrs []attribute.KeyValue
	rest.changed = false
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		attrs = append(attrs, attribute.KeyValue{Key: attribute.Key(rest.text(string(kv.Key))), Value: rest.value(kv.Value)})
		return true
	})
	if rest.changed {
		r.SetAttributes(attrs...)
	}
}
