package otlp

import (
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/protobuf/encoding/protowire"
)

// full is a request that uses everything that OTLP has for traces.
func full() []byte {
	td := ptrace.NewTraces()
	for _, service := range []string{"driver", "agent"} {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl("https://example.org/r")
		rs.Resource().Attributes().PutStr("service.name", service)
		rs.Resource().SetDroppedAttributesCount(1)
		for _, scope := range []string{"lens", "net/http"} {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.SetSchemaUrl("https://example.org/s")
			ss.Scope().SetName(scope)
			ss.Scope().SetVersion("1.2")
			ss.Scope().Attributes().PutBool("stable", true)
			ss.Scope().SetDroppedAttributesCount(2)
			for i := range 2 {
				fullSpan(ss.Spans().AppendEmpty(), byte(i+1))
			}
		}
	}
	return marshal(td)
}

func fullSpan(s ptrace.Span, i byte) {
	s.SetTraceID(pcommon.TraceID{1, 15: i})
	s.SetSpanID(pcommon.SpanID{2, 7: i})
	s.SetParentSpanID(pcommon.SpanID{3, 7: i})
	s.TraceState().FromRaw("lens=r")
	s.SetFlags(0x301)
	s.SetName("POST /run")
	s.SetKind(ptrace.SpanKindServer)
	s.SetStartTimestamp(1_700_000_000_000_000_000)
	s.SetEndTimestamp(1_700_000_000_500_000_000)
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage("no answer")
	s.SetDroppedAttributesCount(4)
	s.SetDroppedEventsCount(5)
	s.SetDroppedLinksCount(6)
	fullAttributes(s.Attributes())
	for _, name := range []string{"exception", "retry"} {
		e := s.Events().AppendEmpty()
		e.SetName(name)
		e.SetTimestamp(1_700_000_000_250_000_000)
		e.Attributes().PutStr("exception.type", "ValueError")
		e.SetDroppedAttributesCount(7)
		l := s.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID{4, 15: i})
		l.SetSpanID(pcommon.SpanID{5, 7: i})
		l.SetFlags(1)
		l.TraceState().FromRaw("a=b")
		l.Attributes().PutStr("nemo.gym.link", "job")
		l.SetDroppedAttributesCount(8)
	}
}

func fullAttributes(m pcommon.Map) {
	m.PutStr("str", "wörld")
	m.PutInt("int", -7)
	m.PutDouble("float", 1.5)
	m.PutDouble("nan", math.NaN())
	m.PutBool("true", true)
	m.PutBool("false", false)
	m.PutEmptyBytes("bytes").FromRaw([]byte{0, 255})
	m.PutEmpty("empty")
	m.PutEmptyBytes("no bytes")
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetStr("a")
	list.AppendEmpty()
	list.AppendEmpty().SetEmptyMap().PutInt("in", 1)
	inner := m.PutEmptyMap("map")
	inner.PutStr("k", "v")
	inner.PutEmptySlice("l").AppendEmpty().SetBool(true)
}

func marshal(td ptrace.Traces) []byte {
	return must(ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()) // pdata does not fail to write
}

// Requests by hand: pb writes a length-delimited field, in puts a message into the fields around it, the innermost first.

func pb[T string | []byte](num protowire.Number, data T) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), string(data))
}

func vi(num protowire.Number, u uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), u)
}

func f64(num protowire.Number, u uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type), u)
}

func f32(num protowire.Number, u uint32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(nil, num, protowire.Fixed32Type), u)
}

func group(num protowire.Number, parts ...[]byte) []byte {
	b := protowire.AppendTag(nil, num, protowire.StartGroupType)
	return protowire.AppendTag(append(b, join(parts...)...), num, protowire.EndGroupType)
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// spanOf is a request of one span.
func spanOf(parts ...[]byte) []byte { return pb(1, pb(2, pb(2, join(parts...)))) }

// attr is an attribute of a span.
func attr(key string, anyValue ...[]byte) []byte {
	return pb(9, join(pb(1, key), pb(2, join(anyValue...))))
}

// member is a member of a map.
func member(key string, anyValue []byte) []byte { return pb(1, join(pb(1, key), pb(2, anyValue))) }

// nested is an AnyValue with so many lists in one another around a value. In an attribute that value is message 2*lists+2.
func nested(lists int, value ...[]byte) []byte {
	b := join(value...)
	for range lists {
		b = pb(5, pb(1, b))
	}
	return b
}

// inMap is a value in a map, which takes three messages, so that an attribute can end at an odd one.
func inMap(value ...[]byte) []byte { return pb(6, member("k", join(value...))) }

// seeds are requests that are good, odd and bad.
func seeds() [][]byte {
	key := attr("k", vi(3, 1))
	return [][]byte{
		{},
		full(),
		batch(2),
		spanOf(),
		spanOf(pb(1, strings.Repeat("t", 16)), pb(2, "spanspan"), key, pb(5, "name"), key),
		spanOf(pb(5, "first"), pb(5, "last"), pb(15, vi(3, 2)), pb(15, pb(2, "message"))),
		spanOf(vi(6, math.MaxUint64), vi(10, math.MaxUint64), pb(15, vi(3, 1<<40|2))),
		spanOf(pb(9, join(pb(2, pb(1, "a")), pb(1, "k"), pb(2, "")))),
		spanOf(attr("k", pb(5, pb(1, vi(3, 1))), pb(5, pb(1, vi(3, 2))))),
		spanOf(attr("k", pb(1, "a"), vi(8, 1))),
		spanOf(attr("k", nested(49))),
		spanOf(attr("k", nested(49, pb(5, "")))),
		spanOf(attr("k", inMap(nested(46, inMap(vi(3, 1)))))), // ends at message 100
		spanOf(attr("k", nested(48, inMap(vi(3, 1))))),        // at 101
		spanOf(attr("\xff", pb(1, "\xfe\xff")), attr("\xfe", pb(1, "<\u2028"))),
		spanOf(attr("m", pb(6, join(pb(1, pb(1, "a")), pb(1, pb(1, "a")))))),
		spanOf(pb(1, "short")),
		spanOf(pb(2, "ninebytes")),
		spanOf(pb(1, "")),
		spanOf(pb(13, pb(2, "short"))),
		spanOf(vi(5, 1)),
		spanOf(pb(7, "12345678")),
		spanOf(pb(100, "unknown"), vi(101, 1), []byte{0xb5, 6, 1, 2, 3, 4}, []byte{0xb1, 6, 1, 2, 3, 4, 5, 6, 7, 8}),
		spanOf(group(100)),
		spanOf(group(100, vi(1, 1), group(3), pb(5, "x"))),
		spanOf(group(5, vi(1, 1))),
		spanOf(protowire.AppendTag(nil, 100, protowire.StartGroupType)),
		spanOf(protowire.AppendTag(nil, 100, protowire.EndGroupType)),
		spanOf([]byte{0xa3, 6, 0xac, 6}),
		pb(1, join(pb(2, join(pb(2, pb(5, "n")), pb(3, "s"), pb(1, pb(1, "late scope")))), pb(3, "r"), pb(1, pb(1, pb(1, "late"))))),
		pb(1, join(pb(1, pb(1, pb(1, "a"))), pb(2, pb(2, "")), pb(1, join(vi(2, 3), pb(1, pb(1, "b")))))),
		pb(1, pb(1000, pb(2, pb(5, "old")))),
		pb(1, join(pb(1000, pb(2, pb(5, "old"))), pb(2, ""))),
		pb(1, pb(1, pb(3, join(pb(1, "s"), pb(2, "t"), pb(3, "k"), pb(4, "d"))))),
		join(full(), full()),
		full()[:100],
		{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f},
		{0x0a, 0x80},
		{0x80, 0x80},
		{0x02, 0x00},
		{0x0e, 0x00},
		{0xf8, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00},
		{0xfa, 0x01, 0x85, 0x80, 0x80, 0x80, 0x10, 1, 2, 3, 4, 5},
	}
}
