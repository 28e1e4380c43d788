package export

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// appendSpan appends s as a JSON object.
func appendSpan(b []byte, s sdktrace.ReadOnlySpan) []byte {
	b = appendString(append(b, `{"name":`...), s.Name())
	b = appendContext(append(b, `,"context":`...), s.SpanContext())
	b = appendString(append(b, `,"kind":`...), kind(s.SpanKind()))
	b = appendParent(append(b, `,"parent_id":`...), s.Parent())
	b = appendTime(append(b, `,"start_time":`...), s.StartTime())
	b = appendTime(append(b, `,"end_time":`...), s.EndTime())
	b = appendStatus(append(b, `,"status":`...), s.Status())
	b = appendAttributes(append(b, `,"attributes":`...), s.Attributes())
	b = appendEvents(append(b, `,"events":`...), s.Events())
	b = appendLinks(append(b, `,"links":`...), s.Links())
	b = appendResource(append(b, `,"resource":`...), s.Resource())
	b = appendScope(append(b, `,"scope":`...), s.InstrumentationScope())
	return append(b, '}')
}

func appendContext(b []byte, sc trace.SpanContext) []byte {
	id, span := sc.TraceID(), sc.SpanID()
	b = append(hex.AppendEncode(append(b, `{"trace_id":"0x`...), id[:]), '"')
	b = append(hex.AppendEncode(append(b, `,"span_id":"0x`...), span[:]), '"')
	b = appendString(append(b, `,"trace_state":`...), "["+sc.TraceState().String()+"]")
	return append(b, '}')
}

func appendParent(b []byte, sc trace.SpanContext) []byte {
	if !sc.SpanID().IsValid() {
		return append(b, "null"...)
	}
	id := sc.SpanID()
	return append(hex.AppendEncode(append(b, `"0x`...), id[:]), '"')
}

func kind(k trace.SpanKind) string {
	switch k {
	case trace.SpanKindServer:
		return "SpanKind.SERVER"
	case trace.SpanKindClient:
		return "SpanKind.CLIENT"
	case trace.SpanKindProducer:
		return "SpanKind.PRODUCER"
	case trace.SpanKindConsumer:
		return "SpanKind.CONSUMER"
	}
	return "SpanKind.INTERNAL"
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, "2006-01-02T15:04:05.000000000Z")
	return append(b, '"')
}

func appendStatus(b []byte, s sdktrace.Status) []byte {
	switch s.Code {
	case codes.Ok:
		return append(b, `{"status_code":"OK"}`...)
	case codes.Error:
		b = append(b, `{"status_code":"ERROR"`...)
		if s.Description != "" {
			b = appendString(append(b, `,"description":`...), s.Description)
		}
		return append(b, '}')
	}
	return append(b, `{"status_code":"UNSET"}`...)
}

func appendEvents(b []byte, events []sdktrace.Event) []byte {
	return appendList(b, events, func(b []byte, e sdktrace.Event) []byte {
		b = appendString(append(b, `{"name":`...), e.Name)
		b = appendTime(append(b, `,"timestamp":`...), e.Time)
		b = appendAttributes(append(b, `,"attributes":`...), e.Attributes)
		return append(b, '}')
	})
}

func appendLinks(b []byte, links []sdktrace.Link) []byte {
	return appendList(b, links, func(b []byte, l sdktrace.Link) []byte {
		b = appendContext(append(b, `{"context":`...), l.SpanContext)
		b = appendAttributes(append(b, `,"attributes":`...), l.Attributes)
		return append(b, '}')
	})
}

// appendResource writes r; nil is an empty one.
func appendResource(b []byte, r *resource.Resource) []byte {
	b = appendAttributes(append(b, `{"attributes":`...), r.Attributes())
	b = appendString(append(b, `,"schema_url":`...), r.SchemaURL())
	return append(b, '}')
}

func appendScope(b []byte, scope instrumentation.Scope) []byte {
	b = appendString(append(b, `{"name":`...), scope.Name)
	b = appendString(append(b, `,"version":`...), scope.Version)
	b = appendAttributes(append(b, `,"attributes":`...), scope.Attributes.ToSlice())
	return append(b, '}')
}

func appendAttributes(b []byte, attrs []attribute.KeyValue) []byte {
	b = append(b, '{')
	for i, kv := range attrs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, string(kv.Key)), ':')
		b = appendValue(b, kv.Value)
	}
	return append(b, '}')
}

func appendValue(b []byte, v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		return strconv.AppendBool(b, v.AsBool())
	case attribute.INT64:
		return strconv.AppendInt(b, v.AsInt64(), 10)
	case attribute.FLOAT64:
		return appendFloat(b, v.AsFloat64())
	case attribute.BOOLSLICE:
		return appendList(b, v.AsBoolSlice(), strconv.AppendBool)
	case attribute.INT64SLICE:
		return appendList(b, v.AsInt64Slice(), func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) })
	case attribute.FLOAT64SLICE:
		return appendList(b, v.AsFloat64Slice(), appendFloat)
	case attribute.STRINGSLICE:
		return appendList(b, v.AsStringSlice(), appendString)
	case attribute.BYTESLICE:
		return append(base64.StdEncoding.AppendEncode(append(b, '"'), v.AsByteSlice()), '"')
	case attribute.SLICE:
		return appendList(b, v.AsSlice(), appendValue)
	case attribute.MAP:
		return appendAttributes(b, v.AsMap())
	case attribute.EMPTY:
		return append(b, "null"...)
	}
	return appendString(b, v.String())
}

func appendList[T any](b []byte, list []T, one func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, v)
	}
	return append(b, ']')
}

// appendFloat writes the shortest text that reads back as f; JSON has none for three of the values.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendString quotes s. Beyond what JSON asks for it escapes DEL and the C1 controls, which terminals obey, and the two
// Unicode line separators, which some line tools split at.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7f && c != '"' && c != '\\' {
			b = append(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		b = appendRune(b, r, s[i:i+size])
		i += size
	}
	return append(b, '"')
}

// appendRune writes a character that may need an escape; text is its encoding.
func appendRune(b []byte, r rune, text string) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(b, '\\', byte(r))
	case r == '\n':
		return append(b, `\n`...)
	case r == '\t':
		return append(b, `\t`...)
	case r == utf8.RuneError && len(text) == 1: // not UTF-8
		return append(b, `\ufffd`...)
	case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029:
		const digits = "0123456789abcdef"
		return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
	}
	return append(b, text...)
}
