package protospan

import (
	"math"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
)

// Append appends a span. One that has not ended has no end.
func Append(b []byte, s sdktrace.ReadOnlySpan) []byte {
	sc, parent := s.SpanContext(), s.Parent()
	trace, span := sc.TraceID(), sc.SpanID()
	b = appendBytes(b, fieldTraceID, trace[:])
	b = appendBytes(b, fieldSpanID, span[:])
	if sc.TraceState().Len() > 0 {
		b = appendText(b, fieldTraceState, sc.TraceState().String())
	}
	if id := parent.SpanID(); id.IsValid() {
		b = appendBytes(b, fieldParent, id[:])
	}
	b = appendText(b, fieldName, s.Name())
	b = appendNumber(b, fieldKind, kindOf(s.SpanKind()))
	b = appendFixed64(b, fieldStart, uint64(max(0, s.StartTime().UnixNano())))
	b = appendFixed64(b, fieldEnd, uint64(max(0, s.EndTime().UnixNano())))
	b = appendAttributes(b, fieldAttributes, s.Attributes())
	b = appendNumber(b, fieldDroppedAttributes, count(s.DroppedAttributes()))
	for _, e := range s.Events() {
		b = appendEvent(b, e)
	}
	b = appendNumber(b, fieldDroppedEvents, count(s.DroppedEvents()))
	for _, l := range s.Links() {
		b = appendLink(b, l)
	}
	b = appendNumber(b, fieldDroppedLinks, count(s.DroppedLinks()))
	b = appendStatus(b, s.Status())
	return appendFixed32(b, fieldFlags, flagsOf(sc.TraceFlags(), parent))
}

// AppendOrigin appends what all spans of a scope share: a message with ResourceSpans and ScopeSpans, both without spans.
func AppendOrigin(b []byte, res *resource.Resource, scope instrumentation.Scope) []byte {
	b, outer := begin(b, fieldOriginResource)
	b, inner := begin(b, fieldResource)
	b = appendSet(b, fieldResourceAttributes, res.Set())
	b = finish(b, inner)
	b = appendText(b, fieldResourceSchema, res.SchemaURL())
	b = finish(b, outer)

	b, outer = begin(b, fieldOriginScope)
	b, inner = begin(b, fieldScope)
	b = appendText(b, fieldScopeName, scope.Name)
	b = appendText(b, fieldScopeVersion, scope.Version)
	b = appendSet(b, fieldScopeAttributes, &scope.Attributes)
	b = finish(b, inner)
	b = appendText(b, fieldScopeSchema, scope.SchemaURL)
	return finish(b, outer)
}

func appendEvent(b []byte, e sdktrace.Event) []byte {
	b, at := begin(b, fieldEvents)
	b = appendFixed64(b, fieldEventTime, uint64(max(0, e.Time.UnixNano())))
	b = appendText(b, fieldEventName, e.Name)
	b = appendAttributes(b, fieldEventAttributes, e.Attributes)
	b = appendNumber(b, fieldEventDropped, count(e.DroppedAttributeCount))
	return finish(b, at)
}

// appendLink leaves the trace state out, as the stock transformation does: the same span is the same bytes.
func appendLink(b []byte, l sdktrace.Link) []byte {
	trace, span := l.SpanContext.TraceID(), l.SpanContext.SpanID()
	b, at := begin(b, fieldLinks)
	b = appendBytes(b, fieldLinkTrace, trace[:])
	b = appendBytes(b, fieldLinkSpan, span[:])
	b = appendAttributes(b, fieldLinkAttributes, l.Attributes)
	b = appendNumber(b, fieldLinkDropped, count(l.DroppedAttributeCount))
	b = appendFixed32(b, fieldLinkFlags, flagsOf(l.SpanContext.TraceFlags(), l.SpanContext))
	return finish(b, at)
}

func appendStatus(b []byte, s sdktrace.Status) []byte {
	b, at := begin(b, fieldStatus)
	b = appendText(b, fieldMessage, s.Description)
	switch s.Code {
	case codes.Ok:
		b = appendNumber(b, fieldCode, uint64(tracepb.Status_STATUS_CODE_OK))
	case codes.Error:
		b = appendNumber(b, fieldCode, uint64(tracepb.Status_STATUS_CODE_ERROR))
	}
	return finish(b, at)
}

func kindOf(k trace.SpanKind) uint64 {
	switch k {
	case trace.SpanKindInternal:
		return uint64(tracepb.Span_SPAN_KIND_INTERNAL)
	case trace.SpanKindServer:
		return uint64(tracepb.Span_SPAN_KIND_SERVER)
	case trace.SpanKindClient:
		return uint64(tracepb.Span_SPAN_KIND_CLIENT)
	case trace.SpanKindProducer:
		return uint64(tracepb.Span_SPAN_KIND_PRODUCER)
	case trace.SpanKindConsumer:
		return uint64(tracepb.Span_SPAN_KIND_CONSUMER)
	}
	return 0
}

// flagsOf are the trace flags, and whether what is called parent is in another process.
func flagsOf(f trace.TraceFlags, parent trace.SpanContext) uint32 {
	flags := uint32(f) | uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
	if parent.IsRemote() {
		flags |= uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
	return flags
}

func appendAttributes(b []byte, field protowire.Number, list []attribute.KeyValue) []byte {
	for _, kv := range list {
		b = appendAttribute(b, field, kv)
	}
	return b
}

func appendSet(b []byte, field protowire.Number, set *attribute.Set) []byte {
	for i := set.Iter(); i.Next(); {
		b = appendAttribute(b, field, i.Attribute())
	}
	return b
}

func appendAttribute(b []byte, field protowire.Number, kv attribute.KeyValue) []byte {
	b, at := begin(b, field)
	b = appendText(b, fieldKey, string(kv.Key))
	return finish(appendValue(b, fieldValue, kv.Value), at)
}

// appendValue appends an AnyValue. Its fields are written also when they are zero: which one is there is the type.
func appendValue(b []byte, field protowire.Number, v attribute.Value) []byte {
	b, at := begin(b, field)
	switch v.Type() {
	case attribute.STRING:
		b = appendString(b, fieldString, v.AsString())
	case attribute.BOOL:
		b = protowire.AppendVarint(protowire.AppendTag(b, fieldBool, protowire.VarintType), protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		b = protowire.AppendVarint(protowire.AppendTag(b, fieldInt, protowire.VarintType), uint64(v.AsInt64()))
	case attribute.FLOAT64:
		b = protowire.AppendFixed64(protowire.AppendTag(b, fieldDouble, protowire.Fixed64Type), math.Float64bits(v.AsFloat64()))
	case attribute.BYTESLICE:
		b = protowire.AppendBytes(protowire.AppendTag(b, fieldBytes, protowire.BytesType), v.AsByteSlice())
	case attribute.BOOLSLICE:
		b = appendArray(b, v.AsBoolSlice(), attribute.BoolValue)
	case attribute.INT64SLICE:
		b = appendArray(b, v.AsInt64Slice(), attribute.Int64Value)
	case attribute.FLOAT64SLICE:
		b = appendArray(b, v.AsFloat64Slice(), attribute.Float64Value)
	case attribute.STRINGSLICE:
		b = appendArray(b, v.AsStringSlice(), attribute.StringValue)
	case attribute.SLICE:
		b = appendArray(b, v.AsSlice(), func(v attribute.Value) attribute.Value { return v })
	case attribute.MAP:
		var list int
		b, list = begin(b, fieldMap)
		b = finish(appendAttributes(b, fieldElement, v.AsMap()), list)
	case attribute.EMPTY:
	default:
		b = appendString(b, fieldString, "INVALID")
	}
	return finish(b, at)
}

func appendArray[T any](b []byte, list []T, value func(T) attribute.Value) []byte {
	b, at := begin(b, fieldArray)
	for _, v := range list {
		b = appendValue(b, fieldElement, value(v))
	}
	return finish(b, at)
}

// begin begins a message inside another one. Where it is that finish must look is returned.
func begin(b []byte, field protowire.Number) ([]byte, int) {
	b = append(protowire.AppendTag(b, field, protowire.BytesType), 0)
	return b, len(b)
}

// finish writes the length of a message before it, which mostly fits into the one byte that was left for it.
func finish(b []byte, at int) []byte {
	n := len(b) - at
	if n < 0x80 {
		b[at-1] = byte(n)
		return b
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	b = append(b, "\x00\x00\x00\x00\x00\x00\x00\x00\x00"[:more]...)
	copy(b[at+more:], b[at:at+n])
	protowire.AppendVarint(b[:at-1], uint64(n))
	return b
}

// The following leave out what is zero, as protobuf does.

func appendText(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return appendString(b, field, s)
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func appendFixed64(b []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), n)
}

func appendFixed32(b []byte, field protowire.Number, n uint32) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type), n)
}

// count is a number of things that were left out.
func count(n int) uint64 { return min(uint64(max(n, 0)), math.MaxUint32) }
