package resources

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
)

type inner struct {
	Flag bool `json:"flag"`
}

type everything struct {
	City   string           `json:"city"`
	Count  int              `json:"count"`
	Small  uint8            `json:"small,omitzero"`
	Ratio  float64          `json:"ratio,omitzero"`
	Yes    bool             `json:"yes,omitzero"`
	Values []int            `json:"values,omitzero"`
	Weight map[string]int   `json:"weight,omitzero"`
	Inner  inner            `json:"inner,omitzero"`
	Maybe  *string          `json:"maybe,omitzero"`
	Any    any              `json:"any,omitzero"`
	Raw    jsontext.Value   `json:"raw,omitzero"`
	Object responses.Object `json:"object,omitzero"`
	Hidden int              `json:"-"`
}

func decodeEverything(t *testing.T, body string) (everything, error) {
	t.Helper()
	d, err := compile(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	var v everything
	err = decodeBody(d, []byte(body), &v)
	return v, err
}

func TestInputAccepts(t *testing.T) {
	text := "x"
	base := everything{City: "sf", Count: 3}
	with := func(change func(*everything)) everything { v := base; change(&v); return v }
	tests := map[string]struct {
		body string
		want everything
	}{
		"plain":                  {`{"city":"sf","count":3}`, base},
		"unknown_members":        {`{"city":"sf","count":3,"more":{"a":[1]}}`, base},
		"blanks_around":          {" \n{\"city\":\"sf\",\"count\":3}\t\n", base},
		"integer_with_fraction":  {`{"city":"sf","count":3.0}`, base},
		"integer_with_exponent":  {`{"city":"sf","count":30e-1}`, base},
		"integer_in_quotes":      {`{"city":"sf","count":"3"}`, base},
		"fraction_0_in_quotes":   {`{"city":"sf","count":" 3.0 "}`, base},
		"integer_of_a_boolean":   {`{"city":"sf","count":true}`, with(func(v *everything) { v.Count = 1 })},
		"escaped_text":           {`{"city":"\u0073f","count":3}`, base},
		"boolean_in_quotes":      {`{"city":"sf","count":3,"yes":"On"}`, with(func(v *everything) { v.Yes = true })},
		"boolean_of_a_number":    {`{"city":"sf","count":3,"yes":1.0}`, with(func(v *everything) { v.Yes = true })},
		"float_of_an_integer":    {`{"city":"sf","count":3,"ratio":2}`, with(func(v *everything) { v.Ratio = 2 })},
		"float_in_quotes":        {`{"city":"sf","count":3,"ratio":" 0.5 "}`, with(func(v *everything) { v.Ratio = 0.5 })},
		"list":                   {`{"city":"sf","count":3,"values":[1,"2",3.0]}`, with(func(v *everything) { v.Values = []int{1, 2, 3} })},
		"empty_list":             {`{"city":"sf","count":3,"values":[]}`, with(func(v *everything) { v.Values = []int{} })},
		"map":                    {`{"city":"sf","count":3,"weight":{"a":1}}`, with(func(v *everything) { v.Weight = map[string]int{"a": 1} })},
		"struct":                 {`{"city":"sf","count":3,"inner":{"flag":true}}`, with(func(v *everything) { v.Inner.Flag = true })},
		"pointer":                {`{"city":"sf","count":3,"maybe":"x"}`, with(func(v *everything) { v.Maybe = &text })},
		"null_for_a_pointer":     {`{"city":"sf","count":3,"maybe":null}`, base},
		"any":                    {`{"city":"sf","count":3,"any":[true]}`, with(func(v *everything) { v.Any = []any{true} })},
		"raw_value":              {`{"city":"sf","count":3,"raw":1e3}`, with(func(v *everything) { v.Raw = jsontext.Value("1e3") })},
		"largest_integer":        {fmt.Sprintf(`{"city":"sf","count":%d}`, math.MaxInt), with(func(v *everything) { v.Count = math.MaxInt })},
		"hidden_is_not_read":     {`{"city":"sf","count":3,"Hidden":1}`, base},
		"bytes_beyond_bmp":       {`{"city":"😀","count":3}`, with(func(v *everything) { v.City = "😀" })},
		"smallest_integer_float": {`{"city":"sf","count":-2e0}`, with(func(v *everything) { v.Count = -2 })},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := decodeEverything(t, test.body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.Comparer(sameObject)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func sameObject(a, b responses.Object) bool {
	return string(a.AppendTo(nil)) == string(b.AppendTo(nil))
}

func TestInputRefuses(t *testing.T) {
	tests := map[string]struct {
		body string
		want []string // type@loc of each detail
	}{
		"empty":                 {``, []string{"missing@body"}},
		"not_json":              {`{"city":`, []string{"json_invalid@body.8"}},
		"two_values":            {`{} {}`, []string{"json_invalid@body.3"}},
		"twice_the_same_name":   {`{"city":"a","city":"b","count":1}`, []string{"json_invalid@body.12"}},
		"null":                  {`null`, []string{"model_attributes_type@body"}},
		"list":                  {`[]`, []string{"model_attributes_type@body"}},
		"all_missing":           {`{}`, []string{"missing@body.city", "missing@body.count"}},
		"null_is_no_value":      {`{"city":null,"count":null}`, []string{"string_type@body.city", "int_type@body.count"}},
		"number_for_text":       {`{"city":1,"count":3}`, []string{"string_type@body.city"}},
		"fraction":              {`{"city":"a","count":1.5}`, []string{"int_from_float@body.count"}},
		"tiny_fraction":         {`{"city":"a","count":1e-300}`, []string{"int_from_float@body.count"}},
		"text_for_integer":      {`{"city":"a","count":"three"}`, []string{"int_parsing@body.count"}},
		"exponent_in_quotes":    {`{"city":"a","count":"3e0"}`, []string{"int_parsing@body.count"}},
		"fraction_in_quotes":    {`{"city":"a","count":"1.5"}`, []string{"int_parsing@body.count"}},
		"too_large":             {`{"city":"a","count":1e30}`, []string{"int_parsing_size@body.count"}},
		"much_too_large":        {`{"city":"a","count":1e999999999}`, []string{"int_parsing_size@body.count"}},
		"too_large_for_uint8":   {`{"city":"a","count":1,"small":256}`, []string{"int_parsing_size@body.small"}},
		"negative_for_unsigned": {`{"city":"a","count":1,"small":-1}`, []string{"int_parsing_size@body.small"}},
		"infinite":              {`{"city":"a","count":1,"ratio":"inf"}`, []string{"float_parsing@body.ratio"}},
		"list_for_float":        {`{"city":"a","count":1,"ratio":[]}`, []string{"float_type@body.ratio"}},
		"word_for_boolean":      {`{"city":"a","count":1,"yes":"perhaps"}`, []string{"bool_parsing@body.yes"}},
		"two_for_boolean":       {`{"city":"a","count":1,"yes":2}`, []string{"bool_parsing@body.yes"}},
		"null_for_boolean":      {`{"city":"a","count":1,"yes":null}`, []string{"bool_type@body.yes"}},
		"object_for_list":       {`{"city":"a","count":1,"values":{}}`, []string{"list_type@body.values"}},
		"inside_a_list":         {`{"city":"a","count":1,"values":[1,"x",null]}`, []string{"int_parsing@body.values.1", "int_type@body.values.2"}},
		"inside_a_map":          {`{"city":"a","count":1,"weight":{"k":"x"}}`, []string{"int_parsing@body.weight.k"}},
		"inside_a_struct":       {`{"city":"a","count":1,"inner":{}}`, []string{"missing@body.inner.flag"}},
		"object_for_map":        {`{"city":"a","count":1,"weight":[]}`, []string{"dict_type@body.weight"}},
		"own_reader":            {`{"city":"a","count":1,"object":[]}`, []string{"value_error@body.object"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := decodeEverything(t, test.body)
			var fields responses.FieldErrors
			if !errors.As(err, &fields) {
				t.Fatalf("got %v, want field errors", err)
			}
			var got []string
			for _, d := range fields {
				place := make([]string, len(d.Loc))
				for i, step := range d.Loc {
					place[i] = fmt.Sprint(step)
				}
				got = append(got, d.Type+"@"+strings.Join(place, "."))
				if !d.Input.IsValid() || d.Msg == "" {
					t.Errorf("detail %+v cannot be sent", d)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInputTypes(t *testing.T) {
	for _, unfit := range []reflect.Type{
		reflect.TypeFor[chan int](), reflect.TypeFor[func()](), reflect.TypeFor[map[int]int](), reflect.TypeFor[error](),
		reflect.TypeFor[[]chan int](), reflect.TypeFor[struct{ C chan int }](), reflect.TypeFor[*chan int](),
		reflect.TypeFor[map[string]chan int](), reflect.TypeFor[complex64](),
	} {
		if _, err := compile(unfit); err == nil {
			t.Errorf("%v was taken for an input", unfit)
		}
	}
	type tree struct {
		Leaf     int    `json:"leaf"`
		Next     *tree  `json:"next,omitzero"`
		Children []tree `json:"children,omitzero"`
	}
	grow, err := compile(reflect.TypeFor[tree]())
	if err != nil {
		t.Fatal(err)
	}
	var grown tree
	if err := decodeBody(grow, []byte(`{"leaf":1,"next":{"leaf":2,"children":[{"leaf":3}]}}`), &grown); err != nil || grown.Next.Children[0].Leaf != 3 {
		t.Errorf("struct in itself: %+v, %v", grown, err)
	}
	type base struct {
		A int `json:"a"`
	}
	type whole struct {
		base
		B int
	}
	d, err := compile(reflect.TypeFor[whole]())
	if err != nil {
		t.Fatal(err)
	}
	var v whole
	if err := decodeBody(d, []byte(`{"a":1,"B":2}`), &v); err != nil || v.A != 1 || v.B != 2 {
		t.Errorf("embedded struct: %+v, %v", v, err)
	}
}

// The answers are those of FastAPI 0.165 with pydantic 2.14, byte for byte, to a model with the one field "count: int". A
// model that learned from the one server reads the other.
func TestInputRefusesAsFastAPI(t *testing.T) {
	type counts struct {
		Count int `json:"count"`
	}
	d, err := compile(reflect.TypeFor[counts]())
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		``:                    `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`,
		`[]`:                  `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]}]}`,
		`null`:                `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":null}]}`,
		`{}`:                  `{"detail":[{"type":"missing","loc":["body","count"],"msg":"Field required","input":{}}]}`,
		`{"count":"x"}`:       `{"detail":[{"type":"int_parsing","loc":["body","count"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"}]}`,
		`{"count":""}`:        `{"detail":[{"type":"int_parsing","loc":["body","count"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":""}]}`,
		`{"count":"1e3"}`:     `{"detail":[{"type":"int_parsing","loc":["body","count"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"1e3"}]}`,
		`{"count":"0x10"}`:    `{"detail":[{"type":"int_parsing","loc":["body","count"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"0x10"}]}`,
		`{"count":1.5}`:       `{"detail":[{"type":"int_from_float","loc":["body","count"],"msg":"Input should be a valid integer, got a number with a fractional part","input":1.5}]}`,
		`{"count":null}`:      `{"detail":[{"type":"int_type","loc":["body","count"],"msg":"Input should be a valid integer","input":null}]}`,
		`{"count":[]}`:        `{"detail":[{"type":"int_type","loc":["body","count"],"msg":"Input should be a valid integer","input":[]}]}`,
		`{"count":" 3 "}`:     "",
		`{"count":"1.0"}`:     "",
		`{"count":"+3"}`:      "",
		`{"count":"010"}`:     "",
		`{"count":true}`:      "",
		`{"count":1e3,"x":1}`: "",
	} {
		var got string
		var fields responses.FieldErrors
		if err := decodeBody(d, []byte(body), new(counts)); errors.As(err, &fields) {
			text, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, got, want)
		}
	}
}

// FuzzInput checks that no body makes the reader panic, and that what it refuses can be told to the caller.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{
		`{"city":"sf","count":3,"values":[1,"2"],"inner":{"flag":1},"ratio":"1e5","yes":"no","weight":{"a":1}}`,
		`{"count":1e99}`, `{"count":"0x10"}`, `{"count":"1_0"}`, `{"city":"\ud800"}`, "\xff", `[`, `{"object":{"a":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	d, err := compile(reflect.TypeFor[everything]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v everything
		err := decodeBody(d, body, &v)
		var fields responses.FieldErrors
		if err != nil && !errors.As(err, &fields) {
			t.Fatalf("got %T: %v", err, err)
		}
		for _, detail := range fields {
			if !detail.Input.IsValid() {
				t.Fatalf("input %q of a detail is not JSON", detail.Input)
			}
		}
	})
}
