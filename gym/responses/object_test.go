package responses_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
)

func parse(t testing.TB, text string) responses.Object {
	t.Helper()
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// lazy returns the same object in the form that is not split into members yet, as items are.
func lazy(t testing.TB, text string) responses.Object {
	t.Helper()
	o, ok := parse(t, `{"o":`+text+`}`).Sub("o")
	if !ok {
		t.Fatal("no object")
	}
	return o
}

func text(o responses.Object) string { return string(o.AppendTo(nil)) }

// messy has what a decode and an encode would change.
const messy = `{"z":9007199254740993,"a":1.0,"e":1e3,"neg":-0,"big":123456789012345678901234567890,` +
	`"ids":[1,2,18446744073709551616],"s":"\u00e9\/\ud83d\ude00","\u006bey":{"x":1,"w":2},"deep":[[[{"}":"]"}]]],"n":null,"":0,"t":true}`

func TestObject_reading_keeps_every_byte(t *testing.T) {
	for name, o := range map[string]responses.Object{"split": parse(t, messy), "lazy": lazy(t, messy)} {
		t.Run(name, func(t *testing.T) {
			for n, v := range o.All() {
				got, ok := o.Get(n)
				if !ok || string(got) != string(v) {
					t.Errorf("Get(%q) = %s, %v; want %s", n, got, ok, v)
				}
			}
			if got := text(o); got != messy {
				t.Errorf("AppendTo:\n%s\nwant\n%s", got, messy)
			}
			b, err := json.Marshal(o, jsontext.PreserveRawStrings(true))
			if err != nil || string(b) != messy {
				t.Errorf("Marshal:\n%s, %v; want\n%s", b, err, messy)
			}
		})
	}
}

func TestObject_Get(t *testing.T) {
	for name, o := range map[string]responses.Object{"split": parse(t, messy), "lazy": lazy(t, messy)} {
		t.Run(name, func(t *testing.T) {
			for member, want := range map[string]string{
				"z": "9007199254740993", "ids": "[1,2,18446744073709551616]", "key": `{"x":1,"w":2}`,
				"deep": `[[[{"}":"]"}]]]`, "n": "null", "": "0", "s": `"\u00e9\/\ud83d\ude00"`,
			} {
				if v, ok := o.Get(member); !ok || string(v) != want {
					t.Errorf("Get(%q) = %s, %v; want %s", member, v, ok, want)
				}
			}
			for _, member := range []string{"Z", "ke", "keyy", `\u006bey`, "x"} {
				if v, ok := o.Get(member); ok {
					t.Errorf("Get(%q) = %s, want nothing", member, v)
				}
			}
			want := []string{"z", "a", "e", "neg", "big", "ids", "s", "key", "deep", "n", "", "t"}
			if diff := cmp.Diff(want, o.Names()); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if o.Len() != len(want) {
				t.Errorf("Len = %d, want %d", o.Len(), len(want))
			}
		})
	}
}

func TestObject_changes_splice(t *testing.T) {
	const in = `{ "a" : 1.0 , "b":[1, 2],"c":"\u0041" }`
	tests := []struct {
		name   string
		change func(o *responses.Object)
		want   string
	}{
		{"nothing", func(*responses.Object) {}, in},
		{"set in place", func(o *responses.Object) { o.Set("b", jsontext.Value("3")) }, `{"a":1.0,"b":3,"c":"\u0041"}`},
		{"set at the end", func(o *responses.Object) { o.SetString("d", "x\ny") }, `{"a":1.0,"b":[1, 2],"c":"\u0041","d":"x\ny"}`},
		{"set nil", func(o *responses.Object) { o.Set("a", nil) }, `{"a":null,"b":[1, 2],"c":"\u0041"}`},
		{"delete", func(o *responses.Object) { o.Delete("a") }, `{"b":[1, 2],"c":"\u0041"}`},
		{"delete what is not there", func(o *responses.Object) { o.Delete("x") }, in},
		{"delete all", func(o *responses.Object) { o.Delete("a"); o.Delete("b"); o.Delete("c") }, `{}`},
		{"int and bool", func(o *responses.Object) { o.SetInt("b", math.MinInt64); o.SetBool("a", true) }, `{"a":true,"b":-9223372036854775808,"c":"\u0041"}`},
		{"any", func(o *responses.Object) { _ = o.SetAny("b", map[string]int{"x": 1}) }, `{"a":1.0,"b":{"x":1},"c":"\u0041"}`},
		{"any that fails", func(o *responses.Object) { _ = o.SetAny("b", math.NaN()) }, in},
		{"merge", func(o *responses.Object) { o.Merge(parse(t, `{"d":1e3,"a":2}`)) }, `{"a":2,"b":[1, 2],"c":"\u0041","d":1e3}`},
		{"a name that needs quotes", func(o *responses.Object) { o.SetInt("q\"\\", 1) }, `{"a":1.0,"b":[1, 2],"c":"\u0041","q\"\\":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for form, o := range map[string]responses.Object{"split": parse(t, in), "lazy": lazy(t, in)} {
				before := o
				tt.change(&o)
				if got := text(o); got != tt.want {
					t.Errorf("%s: got %s, want %s", form, got, tt.want)
				}
				if got := text(before); got != in {
					t.Errorf("%s: the copy from before has changed to %s", form, got)
				}
				if _, err := responses.ParseObject(o.AppendTo(nil)); err != nil {
					t.Errorf("%s: %v", form, err)
				}
			}
		})
	}
	var o responses.Object
	if err := o.SetAny("x", math.Inf(1)); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("SetAny of infinity: %v, want an error that names x", err)
	}
}

// Two copies that grow must not write into each other's members.
func TestObject_is_a_value(t *testing.T) {
	var base responses.Object
	base.SetInt("a", 1)
	left, right := base, base
	left.SetInt("l", 1)
	right.SetInt("r", 2)
	left.SetInt("a", 3)
	for _, tt := range []struct {
		o    responses.Object
		want string
	}{{base, `{"a":1}`}, {left, `{"a":3,"l":1}`}, {right, `{"a":1,"r":2}`}} {
		if got := text(tt.o); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestObject_zero_value(t *testing.T) {
	var o responses.Object
	if text(o) != "{}" || o.Len() != 0 || len(o.Names()) != 0 || o.Has("x") || o.Delete("x") || text(o.Clone()) != "{}" {
		t.Errorf("the zero value is not {}: %s", text(o))
	}
	if b, err := json.Marshal(o); err != nil || string(b) != "{}" {
		t.Errorf("Marshal: %s, %v; want {}", b, err)
	}
	if got := text(parse(t, " {\n} ")); got != "{\n}" {
		t.Errorf("got %q", got)
	}
}

func TestObject_typed_access(t *testing.T) {
	o := parse(t, `{"s":"\u0041\n","i":3,"f":3.0,"e":1e3,"half":0.5,"max":9223372036854775807,"over":9223372036854775808,"huge":1e999,"t":true,"x":false,"n":null,"o":{"k":1},"l":[1,"a",{}],"none":[]}`)
	if s, ok := o.String("s"); s != "A\n" || !ok {
		t.Errorf("String = %q, %v", s, ok)
	}
	for name, want := range map[string]int64{"i": 3, "f": 3, "e": 1000, "max": math.MaxInt64} {
		if n, ok := o.Int(name); n != want || !ok {
			t.Errorf("Int(%s) = %d, %v; want %d", name, n, ok, want)
		}
	}
	for _, name := range []string{"half", "over", "huge", "s", "n", "t", "none", "absent"} {
		if n, ok := o.Int(name); ok {
			t.Errorf("Int(%s) = %d, want not ok", name, n)
		}
	}
	if f, ok := o.Float("half"); f != 0.5 || !ok {
		t.Errorf("Float = %v, %v", f, ok)
	}
	if _, ok := o.Float("huge"); ok {
		t.Error("Float(1e999) is ok")
	}
	for name, want := range map[string]float64{"half": 0.5, "i": 3, "t": 1, "x": 0} {
		if f, ok := o.Number(name); f != want || !ok {
			t.Errorf("Number(%s) = %v, %v; want %v", name, f, ok, want)
		}
	}
	for _, name := range []string{"huge", "s", "n", "o", "l", "absent"} {
		if f, ok := o.Number(name); ok {
			t.Errorf("Number(%s) = %v, want not ok", name, f)
		}
	}
	if v, ok := o.Bool("t"); !v || !ok {
		t.Errorf("Bool = %v, %v", v, ok)
	}
	if v, ok := o.Bool("x"); v || !ok {
		t.Errorf("Bool = %v, %v", v, ok)
	}
	if _, ok := o.Bool("i"); ok {
		t.Error("Bool of a number is ok")
	}
	if !o.Null("n") || o.Null("i") || o.Null("absent") {
		t.Error("Null is wrong")
	}
	if sub, ok := o.Sub("o"); !ok || text(sub) != `{"k":1}` {
		t.Errorf("Sub = %s, %v", text(sub), ok)
	}
	if _, ok := o.Sub("l"); ok {
		t.Error("Sub of an array is ok")
	}
	if l, ok := o.Array("l"); !ok || len(l) != 3 || string(l[1]) != `"a"` {
		t.Errorf("Array = %s, %v", l, ok)
	}
	if l, ok := o.Array("none"); !ok || len(l) != 0 {
		t.Errorf("Array = %s, %v", l, ok)
	}
}

func TestParseObject_errors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "empty"},
		{"blank", " \n", "empty"},
		{"null", "null", "is null"},
		{"array", "[1]", "is an array"},
		{"string", `"x"`, "is a string"},
		{"number", "1", "is a number"},
		{"boolean", "true", "is a boolean"},
		{"cut off", `{"a":`, "EOF"},
		{"two values", `{} {}`, "after"},
		{"trailing comma", `{"a":1,}`, "offset"},
		{"NaN", `{"a":NaN}`, "offset"},
		{"duplicate name", `{"a":1,"a":2}`, `duplicate object member name "a"`},
		{"duplicate name, escaped", `{"a":1,"\u0061":2}`, "duplicate"},
		{"duplicate name, deep", `{"x":[{"b":1,"b":2}]}`, `/x/0`},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "UTF-8"},
		{"half a surrogate", `{"a":"\ud800"}`, "surrogate"},
		{"too deep", strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001), "depth"},
		{"far too deep", strings.Repeat(`[`, 5_000_000), "depth"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := responses.ParseObject([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "cannot parse JSON object") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := responses.ParseObject([]byte(strings.Repeat(`{"a":`, 9999) + "1" + strings.Repeat("}", 9999))); err != nil {
		t.Errorf("9,999 levels: %v", err)
	}
}

func TestObject_in_a_struct(t *testing.T) {
	type body struct {
		Params responses.Object  `json:"params"`
		Items  []responses.Item  `json:"items"`
		Maybe  *responses.Object `json:"maybe"`
	}
	in := `{"params":{"b":1.0,"a":9007199254740993},"items":[{"type":"x","n":1e3}],"maybe":null}`
	var b body
	if err := json.Unmarshal([]byte(in), &b); err != nil {
		t.Fatal(err)
	}
	if b.Maybe != nil || b.Items[0].Type() != "x" {
		t.Errorf("got %+v", b)
	}
	out, err := json.Marshal(b)
	if err != nil || string(out) != in {
		t.Errorf("round trip: %s, %v; want %s", out, err, in)
	}
	b.Params.SetInt("c", 2)
	if out, err = json.Marshal(b.Params); err != nil || string(out) != `{"b":1.0,"a":9007199254740993,"c":2}` {
		t.Errorf("changed: %s, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"params":null}`), &b); err != nil || b.Params.Len() != 0 {
		t.Errorf("null: %v, %s", err, text(b.Params))
	}
	if err := json.Unmarshal([]byte(`{"params":[]}`), &b); err == nil || !strings.Contains(err.Error(), "an array") {
		t.Errorf("array: error %v", err)
	}
	if err := json.Unmarshal([]byte(`{"params":{"a":1,"a":2}}`), &b, jsontext.AllowDuplicateNames(true)); err == nil {
		t.Error("a lax decoder brings in duplicate names")
	}
	bad := responses.Object{}
	bad.Set("x", jsontext.Value("{"))
	if _, err := json.Marshal(bad); err == nil {
		t.Error("Marshal of an invalid value has no error")
	}
}

// What a decoder hands over is its own buffer, which the next read overwrites.
func TestObject_unmarshal_copies(t *testing.T) {
	in := []byte(`{"a":{"k":"value"}}`)
	var b struct{ A responses.Object }
	if err := json.Unmarshal(in, &b, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for i := range in {
		in[i] = 'x'
	}
	if got := text(b.A); got != `{"k":"value"}` {
		t.Errorf("got %s", got)
	}
}

func TestObject_Clone(t *testing.T) {
	in := []byte(`{"a":{"k":"value"},"b":1}`)
	o, err := responses.ParseObject(in)
	if err != nil {
		t.Fatal(err)
	}
	changed := o
	changed.SetInt("b", 2)
	sub, _ := o.Sub("a")
	clones := []responses.Object{o.Clone(), changed.Clone(), sub.Clone()}
	for i := range in {
		in[i] = 'x'
	}
	for i, want := range []string{`{"a":{"k":"value"},"b":1}`, `{"a":{"k":"value"},"b":2}`, `{"k":"value"}`} {
		if got := text(clones[i]); got != want {
			t.Errorf("clone %d is %s, want %s", i, got, want)
		}
	}
}

func TestObject_AppendLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"a":1.0, "b":"\u0041"}`, "{\"a\":1.0, \"b\":\"\\u0041\"}\n"},
		{"{\n \"a\": 1.0,\r\n \"b\": \"x  y\\n\\u0041\"\n}", "{\"a\":1.0,\"b\":\"x  y\\n\\u0041\"}\n"},
	}
	for _, tt := range tests {
		if got := string(parse(t, tt.in).AppendLine([]byte("before "))); got != "before "+tt.want {
			t.Errorf("got %q, want %q", got, "before "+tt.want)
		}
	}
	o := parse(t, `{"a":1}`)
	o.Set("body", jsontext.Value("{\n}\n"))
	if got := string(o.AppendLine(nil)); got != "{\"a\":1,\"body\":{}}\n" {
		t.Errorf("got %q", got)
	}
}

func TestObject_All_stops(t *testing.T) {
	for _, o := range []responses.Object{parse(t, messy), lazy(t, messy)} {
		var seen []string
		for name := range o.All() {
			seen = append(seen, name)
			if name == "a" {
				break
			}
		}
		if !slices.Equal(seen, []string{"z", "a"}) {
			t.Errorf("saw %v", seen)
		}
	}
}

// TestObjectUnion has what Merge and Fill make of few and of many members, and of names with escapes.
func TestObjectUnion(t *testing.T) {
	many := func(from, to int) (text string) {
		for i := from; i < to; i++ {
			text += fmt.Sprintf(`,"m%d":%d`, i, i)
		}
		return text
	}
	for name, test := range map[string]struct{ o, more, merged, filled string }{
		"empty":   {`{}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
		"nothing": {`{ "a": 1 }`, `{}`, `{ "a": 1 }`, `{ "a": 1 }`},
		"few":     {`{"a":1,"b":2}`, `{"c":3,"a":null}`, `{"a":null,"b":2,"c":3}`, `{"a":1,"b":2,"c":3}`},
		"escapes": {`{"\u0061":1}`, `{"a":2,"\u0062":3}`, `{"\u0061":2,"\u0062":3}`, `{"\u0061":1,"\u0062":3}`},
		"many": {`{"\u0061":1` + many(0, 40) + `}`, `{"a":2,"m7":null` + many(38, 80) + `}`,
			`{"\u0061":2` + many(0, 7) + `,"m7":null` + many(8, 80) + `}`, `{"\u0061":1` + many(0, 80) + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			o, more := parse(t, test.o), parse(t, test.more)
			merged, filled := o, o
			merged.Merge(more)
			filled.Fill(more)
			for what, got := range map[string][2]string{
				"merged": {string(merged.AppendTo(nil)), test.merged}, "filled": {string(filled.AppendTo(nil)), test.filled},
				"the object": {string(o.AppendTo(nil)), test.o}, "the other": {string(more.AppendTo(nil)), test.more},
			} {
				if got[0] != got[1] {
					t.Errorf("%s: %s\nwant %s", what, got[0], got[1])
				}
			}
		})
	}
}

func TestObjectWhere(t *testing.T) {
	o := parse(t, `{"a":1,"\u0062":null,"c":[1e400]}`)
	got := o.Where(func(name string, v jsontext.Value) bool { return name == "b" || v.Kind() == '[' })
	if text := string(got.AppendTo(nil)); text != `{"\u0062":null,"c":[1e400]}` {
		t.Errorf("got %s", text)
	}
	if none := o.Where(func(string, jsontext.Value) bool { return false }); string(none.AppendTo(nil)) != "{}" {
		t.Errorf("got %s, want {}", none.AppendTo(nil))
	}
}
