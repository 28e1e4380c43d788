//go:build !lens_off

package lens

import (
	"context"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"

	"github.com/lensgo/lens/internal/seam"
	"github.com/lensgo/lens/semconv"
)

// bridge starts the spans of a foreign tracer behind a group. The spans are the provider's: lens keeps no record of them.
type bridge struct {
	group   *Group
	name    string
	options []trace.TracerOption
	made    atomic.Pointer[bridged]
}

// bridged is a config of the group and what the bridge made of it: the same with the foreign scope.
type bridged struct {
	of, config *config
}

func newBridge(group any, name string, options []trace.TracerOption) seam.Start {
	g, _ := group.(*Group)
	if g == nil {
		return nil
	}
	b := &bridge{group: g, name: name, options: append(slices.Clone(options),
		trace.WithInstrumentationAttributes(attribute.Bool(semconv.LensBridge, true)))}
	return b.start
}

func (b *bridge) start(
	ctx context.Context, name string, options []trace.SpanStartOption,
) (context.Context, trace.Span) {
	if atomic.LoadUint32(&b.group.word) == 0 {
		return ctx, nil
	}
	c := b.config()
	tracer := c.current()
	if tracer == nil {
		return ctx, nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if w := withOf(ctx); w != nil {
		options = append(slices.Clip(options), w.beside(options))
	}
	if c.mark {
		options = append(slices.Clip(options), trace.WithAttributes(attribute.String(semconv.LensGroup, c.scope.group)))
	}
	return tracer.Start(ctx, name, options...)
}

// config gives what the group's config is for the foreign scope. It is made anew at the first span after a change.
func (b *bridge) config() *config {
	c := b.group.config.Load()
	if m := b.made.Load(); m != nil && m.of == c {
		return m.config
	}
	m := &bridged{of: c, config: &config{
		mode:      c.mode,
		threshold: c.threshold,
		scope:     scope{name: b.name, group: c.scope.group},
		mark:      c.mark,
		source:    c.source,
		more:      b.options,
	}}
	b.made.Store(m)
	return m.config
}

// beside gives the option that adds the attributes to a span which is started with others: those win.
func (s *startAttributes) beside(others []trace.SpanStartOption) trace.SpanStartOption {
	c := trace.NewSpanStartConfig(others...)
	list := s.without(c.Attributes())
	if len(list) == len(s.list) {
		return s.option
	}
	return trace.WithAttributes(list...)
}

// isBridge reports whether spans of tp come back to a registry.
func isBridge(tp trace.TracerProvider) bool {
	_, is := tp.(seam.Bridge)
	return is
}

// fromSpan gives the Span that writes to a foreign span. Nothing is buffered, since whoever has the foreign one may end it
// at any time, and it is in no list of open spans: that is for those who started it.
func fromSpan(span trace.Span) any {
	if ours, ok := span.(*otelSpan); ok {
		return Span{ours.r}
	}
	if span == nil || !span.IsRecording() {
		return nil
	}
	return Span{&record{span: span, direct: true}}
}

func toSpan(span any) trace.Span {
	s, _ := span.(Span)
	switch {
	case s.r == nil:
		return nil
	case s.r.direct:
		return s.r.span
	}
	return &otelSpan{r: s.r}
}

// otelSpan is a Span as OpenTelemetry has it. It goes through the record, so that what is written by either is one
// sequence and an end by either ends it.
type otelSpan struct {
	embedded.Span
	r *record
}

func (s *otelSpan) End(options ...trace.SpanEndOption) {
	if v := recover(); v != nil {
		s.r.panicked(v)
		panic(v)
	}
	c := trace.NewSpanEndConfig(options...)
	s.r.end(c.Timestamp())
}

func (s *otelSpan) SetAttributes(list ...attribute.KeyValue) {
	for _, kv := range list {
		if kv.Value.Type() == attribute.STRING {
			s.r.str(string(kv.Key), kv.Value.AsString())
		} else {
			s.r.put(string(kv.Key), kv.Value)
		}
	}
}

func (s *otelSpan) AddEvent(name string, options ...trace.EventOption) {
	s.r.span.AddEvent(name, options...)
}

func (s *otelSpan) RecordError(err error, options ...trace.EventOption) {
	s.r.span.RecordError(err, options...)
}

func (s *otelSpan) AddLink(link trace.Link)                 { s.r.span.AddLink(link) }
func (s *otelSpan) IsRecording() bool                       { return s.r.recording() }
func (s *otelSpan) SpanContext() trace.SpanContext          { return s.r.span.SpanContext() }
func (s *otelSpan) SetStatus(code codes.Code, about string) { s.r.span.SetStatus(code, about) }
func (s *otelSpan) SetName(name string)                     { s.r.span.SetName(name) }
func (s *otelSpan) TracerProvider() trace.TracerProvider    { return s.r.span.TracerProvider() }
