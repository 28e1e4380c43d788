package suite

import (
	"fmt"
	"strings"
)

const (
	trace  = "12345678901234567890123456789012"
	parent = "1234567890123456"
	valid  = "00-" + trace + "-" + parent + "-01"
	zero   = "00000000000000000000000000000000"
)

// is and isNew are requests with one traceparent line.

func is(value string) Request {
	return Request{Headers: []Header{{"traceparent", value}}, Want: Want{TraceID: trace}}
}

func isNew(value string) Request {
	return Request{Headers: []Header{{"traceparent", value}}, Want: Want{Not: []string{trace}}}
}

func isNot(value string, not ...string) Request {
	return Request{Headers: []Header{{"traceparent", value}}, Want: Want{Not: not}}
}

// state is a request with a good traceparent and these tracestate lines.
func state(want string, lines ...string) Request {
	return named("tracestate", want, lines...)
}

func named(name, want string, lines ...string) Request {
	h := []Header{{"traceparent", "00-" + trace + "-" + parent + "-00"}}
	for _, l := range lines {
		h = append(h, Header{name, l})
	}
	return Request{Headers: h, Want: Want{TraceID: trace, State: want}}
}

func bars(from, to int) string {
	var b []string
	for i := from; i <= to; i++ {
		b = append(b, fmt.Sprintf("bar%02d=%02d", i, i))
	}
	return strings.Join(b, ",")
}

func chars(from, to rune) string {
	var b strings.Builder
	for c := from; c <= to; c++ {
		b.WriteRune(c)
	}
	return b.String()
}

// Tests gives all 41.
func Tests() []Test {
	return append(append(parentTests(), stateTests()...), advancedTests()...)
}

func parentTests() []Test {
	return []Test{
		{"both_traceparent_and_tracestate_missing", []Request{{}}},
		{"traceparent_included_tracestate_missing", []Request{is(valid)}},
		{"traceparent_duplicated", []Request{{
			Headers: []Header{
				{"traceparent", "00-12345678901234567890123456789011-" + parent + "-01"},
				{"traceparent", valid},
			},
			Want: Want{Not: []string{trace, "12345678901234567890123456789011"}},
		}}},
		{"traceparent_header_name", []Request{
			{Headers: []Header{{"trace-parent", valid}}, Want: Want{Not: []string{trace}}},
			{Headers: []Header{{"trace.parent", valid}}, Want: Want{Not: []string{trace}}},
		}},
		{"traceparent_header_name_valid_casing", []Request{
			{Headers: []Header{{"TraceParent", valid}}, Want: Want{TraceID: trace}},
			{Headers: []Header{{"TrAcEpArEnT", valid}}, Want: Want{TraceID: trace}},
			{Headers: []Header{{"TRACEPARENT", valid}}, Want: Want{TraceID: trace}},
		}},
		{"traceparent_version_0x00", []Request{
			isNew(valid + "."),
			isNew(valid + "-what-the-future-will-be-like"),
		}},
		{"traceparent_version_0xcc", []Request{
			is("cc" + valid[2:]),
			is("cc" + valid[2:] + "-what-the-future-will-be-like"),
			isNew("cc" + valid[2:] + ".what-the-future-will-be-like"),
		}},
		{"traceparent_version_0xff", []Request{isNew("ff" + valid[2:])}},
		{"traceparent_version_illegal_characters", []Request{isNew(".0" + valid[2:]), isNew("0." + valid[2:])}},
		{"traceparent_version_too_long", []Request{isNew("0" + valid), isNew("00" + valid)}},
		{"traceparent_version_too_short", []Request{isNew(valid[1:])}},
		{"traceparent_trace_id_all_zero", []Request{isNot("00-"+zero+"-"+parent+"-01", zero)}},
		{"traceparent_trace_id_illegal_characters", []Request{
			isNot("00-.2345678901234567890123456789012-"+parent+"-01", ".2345678901234567890123456789012"),
			isNot("00-1234567890123456789012345678901.-"+parent+"-01", "1234567890123456789012345678901."),
		}},
		{"traceparent_trace_id_too_long", []Request{
			isNot("00-"+trace+"3-"+parent+"-01", trace+"3", trace, "23456789012345678901234567890123"),
		}},
		{"traceparent_trace_id_too_short", []Request{isNot("00-"+trace[:31]+"-"+parent+"-01", trace[:31])}},
		{"traceparent_parent_id_all_zero", []Request{isNew("00-" + trace + "-0000000000000000-01")}},
		{"traceparent_parent_id_illegal_characters", []Request{
			isNew("00-" + trace + "-.234567890123456-01"),
			isNew("00-" + trace + "-123456789012345.-01"),
		}},
		{"traceparent_parent_id_too_long", []Request{isNew("00-" + trace + "-" + parent + "7-01")}},
		{"traceparent_parent_id_too_short", []Request{isNew("00-" + trace + "-" + parent[:15] + "-01")}},
		{"traceparent_trace_flags_illegal_characters", []Request{
			isNew("00-" + trace + "-" + parent + "-.0"),
			isNew("00-" + trace + "-" + parent + "-0."),
		}},
		{"traceparent_trace_flags_too_long", []Request{isNew("00-" + trace + "-" + parent + "-001")}},
		{"traceparent_trace_flags_too_short", []Request{isNew("00-" + trace + "-" + parent + "-1")}},
		{"traceparent_ows_handling", []Request{
			is(" " + valid), is("\t" + valid), is(valid + " "), is(valid + "\t"), is("\t " + valid + " \t"),
		}},
	}
}

func stateTests() []Test {
	key := chars('a', 'z') + "0123456789_-*/"
	value := chars(0x20, 0x2b) + chars(0x2d, 0x3c) + chars(0x3e, 0x7e)
	tenant := key + "@a-z0-9_-*/"
	long := strings.Repeat("z", 256)
	vendor := strings.Repeat("t", 241) + "@" + strings.Repeat("v", 14)
	return []Test{
		{"tracestate_included_traceparent_missing", []Request{
			{Headers: []Header{{"tracestate", "foo=1"}}},
			{Headers: []Header{{"tracestate", "foo=1,bar=2"}}},
		}},
		{"tracestate_included_traceparent_included", []Request{state("foo=1,bar=2", "foo=1,bar=2")}},
		{"tracestate_header_name", []Request{named("trace-state", "", "foo=1"), named("trace.state", "", "foo=1")}},
		{"tracestate_header_name_valid_casing", []Request{
			named("TraceState", "foo=1", "foo=1"),
			named("TrAcEsTaTe", "foo=1", "foo=1"),
			named("TRACESTATE", "foo=1", "foo=1"),
		}},
		{"tracestate_empty_header", []Request{
			state("", ""), state("foo=1", "foo=1", ""), state("foo=1", "", "foo=1"),
		}},
		{"tracestate_multiple_headers_different_keys", []Request{
			state("foo=1,bar=2,rojo=1,congo=2,baz=3", "foo=1,bar=2", "rojo=1,congo=2", "baz=3"),
		}},
		{"tracestate_duplicated_keys", []Request{
			state("foo=1", "foo=1,foo=1"),
			state("foo=1", "foo=1,foo=2"),
			state("foo=1", "foo=1", "foo=1"),
			state("foo=1", "foo=1", "foo=2"),
			state("foo=1,bar=2", "foo=1,bar=2,foo=3"),
		}},
		{"tracestate_all_allowed_characters", []Request{
			state(key+"="+value, key+"="+value),
			state(tenant+"="+value, tenant+"="+value),
		}},
		{"tracestate_ows_handling", []Request{
			state("foo=1,bar=2,baz=3", "foo=1 \t , \t bar=2, \t baz=3"),
			state("foo=1,bar=2,baz=3", "foo=1\t \t,\t \tbar=2,\t \tbaz=3"),
			state("foo=1", " foo=1"), state("foo=1", "\tfoo=1"),
			state("foo=1", "foo=1 "), state("foo=1", "foo=1\t"), state("foo=1", "\t foo=1 \t"),
		}},
		{"tracestate_key_illegal_characters", []Request{
			state("", "foo =1"), state("", "FOO=1"), state("", "foo.bar=1"),
		}},
		{"tracestate_key_illegal_vendor_format", []Request{
			state("foo@=1,bar=2", "foo@=1,bar=2"),
			state("", "@foo=1,bar=2"),
			state("foo@@bar=1,bar=2", "foo@@bar=1,bar=2"),
			state("foo@bar@baz=1,bar=2", "foo@bar@baz=1,bar=2"),
		}},
		{"tracestate_member_count_limit", []Request{
			state(bars(1, 32), bars(1, 10), bars(11, 20), bars(21, 30), bars(31, 32)),
			state("", bars(1, 10), bars(11, 20), bars(21, 30), bars(31, 33)),
		}},
		{"tracestate_key_length_limit", []Request{
			state("foo=1,"+long+"=1", "foo=1", long+"=1"),
			state("", "foo=1", long+"z=1"),
			state("foo=1,"+vendor+"=1", "foo=1", vendor+"=1"),
			state("foo=1,t"+vendor[:241]+"@v=1", "foo=1", "t"+vendor[:241]+"@v=1"),
			state("foo=1,t@"+strings.Repeat("v", 15)+"=1", "foo=1", "t@"+strings.Repeat("v", 15)+"=1"),
		}},
		{"tracestate_value_illegal_characters", []Request{state("", "foo=bar=baz"), state("", "foo=,bar=3")}},
	}
}

func advancedTests() []Test {
	three := func(r Request) Request {
		r.Callbacks = 3
		return r
	}
	random := is("00-" + trace + "-" + parent + "-02")
	random.Want.Flags = 0x02
	return []Test{
		{"multiple_requests_with_valid_traceparent", []Request{three(is(valid))}},
		{"multiple_requests_without_traceparent", []Request{three(Request{})}},
		{"multiple_requests_with_illegal_traceparent", []Request{
			three(isNot("00-"+zero+"-"+parent+"-01", zero)),
		}},
		{"propagates_random_flag", []Request{random}},
	}
}
