package multistep

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
)

func TestValue(t *testing.T) {
	for word, want := range map[string]int{"Warm": 407, "Hot": 299, "Arid": 384, "Coarse": 605, "Dry": 303, "": 0, "é": 0xe9} {
		if got := Value(word); got != want {
			t.Errorf("Value(%q) is %d, want %d", word, got, want)
		}
	}
}

func list(values ...string) []jsontext.Value {
	out := []jsontext.Value{}
	for _, v := range values {
		out = append(out, jsontext.Value(v))
	}
	return out
}

func TestNewScore(t *testing.T) {
	row := Row{ExpectedSynonymValues: []int{384, 605}, MinefieldLabel: "Dry", MinefieldLabelValue: 303}
	tests := map[string]struct {
		row  Row
		list []jsontext.Value
		want Score
	}{
		"right":                {row, list("384", "605"), Score{Accuracy: true, Overlap: 1}},
		"right_as_fractions":   {row, list("384.0", "6.05e2"), Score{Accuracy: true, Overlap: 1}},
		"wrong_order":          {row, list("605", "384"), Score{Overlap: 1, OrderFailure: true}},
		"one_too_many":         {row, list("384", "605", "605"), Score{Overlap: 1, OrderFailure: true}},
		"half":                 {row, list("384"), Score{Overlap: 0.5}},
		"none":                 {row, list(), Score{}},
		"mine_value":           {row, list("384", "303"), Score{Overlap: 0.5, MinefieldHit: true}},
		"mine_word":            {row, list("384", `"Dry"`), Score{Overlap: 0.5, MinefieldHit: true}},
		"mine_beside_all":      {row, list("384", "605", "303"), Score{Overlap: 1, MinefieldHit: true, OrderFailure: true}},
		"text_is_no_number":    {row, list(`"384"`, `"605"`), Score{}},
		"nonsense":             {row, list("null", "true", "[384]", "{}"), Score{}},
		"nothing_expected":     {Row{MinefieldLabel: "x"}, list(), Score{Accuracy: true}},
		"nothing_was_expected": {Row{MinefieldLabel: "x"}, list("1"), Score{}},
		"repeats_in_the_row":   {Row{ExpectedSynonymValues: []int{7, 7}}, list("7", "7"), Score{Accuracy: true, Overlap: 0.5}},
		"minefield_zero":       {Row{ExpectedSynonymValues: []int{7}}, list("0"), Score{MinefieldHit: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.want.Parsed = test.list
			if diff := cmp.Diff(test.want, NewScore(test.row, test.list)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSubmitted(t *testing.T) {
	call := func(name, arguments string) responses.Item { return responses.FunctionCall("f", "c", name, arguments) }
	tests := map[string]struct {
		calls []responses.Item
		want  []jsontext.Value
	}{
		"no_call":       {nil, list()},
		"other_tools":   {[]responses.Item{call("get_synonym_value", `{"synonym_values":[1]}`)}, list()},
		"the_last_wins": {[]responses.Item{call(extractTool, `{"synonym_values":[1]}`), call(extractTool, `{"synonym_values":[2, "x"]}`), call("y", `{}`)}, list("2", `"x"`)},
		"broken_last":   {[]responses.Item{call(extractTool, `{"synonym_values":[1]}`), call(extractTool, `{not json`)}, list()},
		"no_list":       {[]responses.Item{call(extractTool, `{"synonym_values":3}`)}, list()},
		"null_list":     {[]responses.Item{call(extractTool, `{"synonym_values":null}`)}, list()},
		"no_member":     {[]responses.Item{call(extractTool, `{}`)}, list()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, submitted(test.calls)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
