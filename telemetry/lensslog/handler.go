//go:build !lens_off

package lensslog

import (
	"context"
	"encoding/hex"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// NewHandler gives a handler that adds the span of a record's context to it and hands it to h; in a build with lens_off it
// gives h itself. A nil h discards all records.
func NewHandler(h slog.Handler) slog.Handler {
	switch h := h.(type) {
	case nil:
		return slog.DiscardHandler
	case *handler:
		return h
	}
	return &handler{plain: h, top: h}
}

// handler keeps the wrapped handler twice, because what is added must not end up in a group that was opened before.
type handler struct {
	plain  slog.Handler // with all groups and attributes: for records without a span
	top    slog.Handler // with the attributes from before the first group
	groups []group      // what top lacks, outermost first; never changed in place
}

// group is an open group with the attributes that were added directly in it.
type group struct {
	name  string
	attrs []slog.Attr
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.plain.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	sc := spanContext(ctx)
	if !sc.IsValid() {
		return h.plain.Handle(ctx, r)
	}
	if len(h.groups) == 0 {
		r = r.Clone() // it shares memory with the caller's
	} else {
		r = h.nest(r)
	}
	traceID, spanID, flags := text(sc)
	r.AddAttrs(slog.String(TraceID, traceID), slog.String(SpanID, spanID), slog.String(TraceFlags, flags))
	return h.top.Handle(ctx, r)
}

// text gives the three values, in one allocation.
func text(sc trace.SpanContext) (traceID, spanID, flags string) {
	const a, b, c = 2 * len(trace.TraceID{}), 2 * len(trace.SpanID{}), 2
	var digits [a + b + c]byte
	t, s := sc.TraceID(), sc.SpanID()
	hex.Encode(digits[:], t[:])
	hex.Encode(digits[a:], s[:])
	hex.Encode(digits[a+b:], []byte{byte(sc.TraceFlags())})
	all := string(digits[:])
	return all[:a], all[a : a+b], all[a+b:]
}

func spanContext(ctx context.Context) trace.SpanContext {
	if ctx == nil {
		return trace.SpanContext{}
	}
	return trace.SpanContextFromContext(ctx)
}

// nest gives the record with its attributes inside the open groups.
func (h *handler) nest(r slog.Record) slog.Record {
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	last := h.groups[len(h.groups)-1]
	attrs := make([]slog.Attr, 0, len(last.attrs)+r.NumAttrs())
	attrs = append(attrs, last.attrs...)
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	for i := len(h.groups) - 1; i > 0; i-- {
		attrs = append(slices.Clip(h.groups[i-1].attrs), inGroup(h.groups[i].name, attrs))
	}
	out.AddAttrs(inGroup(h.groups[0].name, attrs))
	return out
}

func inGroup(name string, attrs []slog.Attr) slog.Attr {
	return slog.Attr{Key: name, Value: slog.GroupValue(attrs...)}
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	plain := h.plain.WithAttrs(attrs)
	if len(h.groups) == 0 {
		return &handler{plain: plain, top: plain}
	}
	groups := slices.Clone(h.groups)
	last := &groups[len(groups)-1]
	last.attrs = slices.Concat(last.attrs, attrs)
	return &handler{plain: plain, top: h.top, groups: groups}
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{plain: h.plain.WithGroup(name), top: h.top, groups: append(slices.Clip(h.groups), group{name: name})}
}
