package otlp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

func value(parts ...[]byte) Value { return Value{}.merge(string(join(parts...))) }

func float(x float64) []byte { return f64(4, math.Float64bits(x)) }

func integer(i int64) []byte { return vi(3, uint64(i)) }

func TestValueText(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    Value
		json string
		text string
	}{
		{"empty", Value{}, `null`, ``},
		{"string", value(pb(1, "a")), `"a"`, `a`},
		{"no text", value(pb(1, "")), `""`, ``},
		{"escapes", value(pb(1, "\"\\\n\r\t\x00\x1f\x7f")), `"\"\\\n\r\t\u0000\u001f` + "\x7f\"", "\"\\\n\r\t\x00\x1f\x7f"},
		{"markup", value(pb(1, "</script>")), `"\u003c/script>"`, `</script>`},
		{"line separators", value(pb(1, "a\u2028b\u2029c\u2027\u2030")), `"a\u2028b\u2029c` + "\u2027\u2030\"", "a\u2028b\u2029c\u2027\u2030"},
		{"invalid UTF-8", value(pb(1, "a\xff\xfeb\xe2")), "\"a\uFFFDb\uFFFD\"", "a\uFFFDb\uFFFD"},
		{"surrogate as bytes", value(pb(1, "\xed\xa0\x80")), "\"\uFFFD\"", "\uFFFD"},
		{"int", value(integer(-7)), `-7`, `-7`},
		{"largest int that is exact", value(integer(1<<53 - 1)), `9007199254740991`, `9007199254740991`},
		{"larger int", value(integer(1 << 53)), `"9007199254740992"`, `9007199254740992`},
		{"least int", value(integer(math.MinInt64)), `"-9223372036854775808"`, `-9223372036854775808`},
		{"float", value(float(1.5)), `1.5`, `1.5`},
		{"whole float", value(float(2)), `2`, `2`},
		{"minus zero", value(float(math.Copysign(0, -1))), `-0`, `-0`},
		{"small float", value(float(1e-7)), `1e-07`, `1e-07`},
		{"large float", value(float(1e21)), `1e+21`, `1e+21`},
		{"NaN", value(float(math.NaN())), `"NaN"`, `NaN`},
		{"infinite", value(float(math.Inf(1))), `"Infinity"`, `Infinity`},
		{"minus infinite", value(float(math.Inf(-1))), `"-Infinity"`, `-Infinity`},
		{"true", value(vi(2, 1)), `true`, `true`},
		{"false", value(vi(2, 0)), `false`, `false`},
		{"bytes", value(pb(7, "\x00\xff\xfe")), `"AP/+"`, `AP/+`},
		{"list", value(pb(5, join(pb(1, pb(1, "a")), pb(1, ""), pb(1, integer(1))))), `["a",null,1]`, `["a",null,1]`},
		{"no members", value(pb(5, "")), `[]`, `[]`},
		{"map", value(pb(6, join(member("a", integer(1)), member("<", pb(5, ""))))), `{"a":1,"\u003c":[]}`, `{"a":1,"\u003c":[]}`},
		{"key twice", value(pb(6, join(member("a", integer(1)), member("b", nil), member("a", integer(2))))), `{"a":1,"b":null}`, `{"a":1,"b":null}`},
		{"keys alike as text", value(pb(6, join(member("\xff", integer(1)), member("\xfe", integer(2))))), "{\"\uFFFD\":1}", "{\"\uFFFD\":1}"},
		{"dictionary index", value(vi(8, 1)), `null`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.v.AppendJSON([]byte("before "))
			if string(got) != "before "+tt.json {
				t.Errorf("JSON is %s, want %s", got[len("before "):], tt.json)
			}
			if !json.Valid(got[len("before "):]) {
				t.Error("it is no JSON")
			}
			if got := tt.v.String(); got != tt.text {
				t.Errorf("text is %q, want %q", got, tt.text)
			}
		})
	}
}

// TestAppendJSONObjectLarge holds that names are told apart also where they are many.
func TestAppendJSONObjectLarge(t *testing.T) {
	var members [][]byte
	for i := range 200 {
		members = append(members, member(fmt.Sprint(i%100), integer(int64(i))))
	}
	v := value(pb(6, join(members...)))
	var got map[string]int
	text := v.AppendJSON(nil)
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 100 || got["99"] != 99 {
		t.Errorf("%d members, %q is %d, want 100 and 99", len(got), "99", got["99"])
	}
	for i := 100; i < 200; i++ {
		if bytes.Contains(text, fmt.Appendf(nil, ":%d", i)) {
			t.Fatalf("the second member of a name is there: %s", text)
		}
	}
}

// TestValueKinds asks a value of every kind for all the others.
func TestValueKinds(t *testing.T) {
	for _, v := range []Value{
		{}, value(pb(1, "s")), value(integer(1)), value(float(1)), value(vi(2, 1)), value(pb(7, "b")),
		value(pb(5, pb(1, ""))), value(pb(6, member("k", nil))),
	} {
		list, members := 0, 0
		for range v.List() {
			list++
		}
		for range v.Map() {
			members++
		}
		_, got := v.Get("k")
		answers := map[ValueKind]bool{
			ValueStr: v.Str() != "", ValueInt: v.Int() != 0, ValueFloat: v.Float() != 0, ValueBool: v.Bool(), ValueBytes: v.Bytes() != nil,
			ValueList: list == 1, ValueMap: members == 1 && got,
		}
		for kind, yes := range answers {
			if yes != (kind == v.Kind()) {
				t.Errorf("%s value: answer as %s is %t", v.Kind(), kind, yes)
			}
		}
		if c := v.Clone(); c != v {
			t.Errorf("%s value: the clone differs", v.Kind())
		}
	}
}
