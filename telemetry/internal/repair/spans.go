package repair

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Spans returns spans in which every text is UTF-8, and whether that changed anything.
func Spans(spans []sdktrace.ReadOnlySpan) ([]sdktrace.ReadOnlySpan, bool) {
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

// span is one with other texts.
type span struct {
	sdktrace.ReadOnlySpan
	name     string
	attrs    []attribute.KeyValue
	events   []sdktrace.Event
	links    []sdktrace.Link
	status   sdktrace.Status
	scope    instrumentation.Scope
	resource *resource.Resource
}

func (s *span) Name() string                                { return s.name }
func (s *span) Attributes() []attribute.KeyValue            { return s.attrs }
func (s *span) Events() []sdktrace.Event                    { return s.events }
func (s *span) Links() []sdktrace.Link                      { return s.links }
func (s *span) Status() sdktrace.Status                     { return s.status }
func (s *span) InstrumentationScope() instrumentation.Scope { return s.scope }
func (s *span) Resource() *resource.Resource                { return s.resource }

func repairSpan(s sdktrace.ReadOnlySpan) (sdktrace.ReadOnlySpan, bool) {
	var f fixer
	r := &span{ReadOnlySpan: s, name: f.text(s.Name()), attrs: f.attributes(s.Attributes()), status: s.Status(),
		scope: f.scope(s.InstrumentationScope()), resource: Resource(s.Resource())}
	r.status.Description = f.text(r.status.Description)
	for _, e := range s.Events() {
		e.Name, e.Attributes = f.text(e.Name), f.attributes(e.Attributes)
		r.events = append(r.events, e)
	}
	for _, l := range s.Links() {
		l.Attributes = f.attributes(l.Attributes)
		r.links = append(r.links, l)
	}
	return r, f.changed || r.resource != s.Resource()
}
