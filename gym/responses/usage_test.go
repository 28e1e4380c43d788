package responses_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

func usage(t testing.TB, s string) *responses.Usage {
	t.Helper()
	if s == "" {
		return nil
	}
	u, err := responses.ParseUsage(jsontext.Value(s))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAddUsage(t *testing.T) {
	full := func(in, cached, out, reasoning, total string) string {
		return `{"input_tokens":` + in + `,"input_tokens_details":{"cached_tokens":` + cached + `},"output_tokens":` + out +
			`,"output_tokens_details":{"reasoning_tokens":` + reasoning + `},"total_tokens":` + total + `}`
	}
	tests := []struct {
		name  string
		turns []string
		want  string
	}{
		{"none", []string{"", ""}, ""},
		{"one, as it came", []string{"", `{"total_tokens":3,"cost":0.10}`, ""}, `{"total_tokens":3,"cost":0.10}`},
		{"LL-07: a turn without usage changes nothing", []string{full("1", "0", "2", "0", "3"), "", full("100", "5", "200", "7", "300")},
			full("101", "5", "202", "7", "303")},
		{"a null number makes the sum's null", []string{full("1", "4", "2", "4", "3"), full("1", "null", "2", "1", "3"), full("1", "2", "2", "1", "3")},
			full("3", "null", "6", "6", "9")},
		{"null details leave the total's", []string{full("1", "4", "2", "4", "3"), `{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"total_tokens":2}`},
			full("2", "4", "3", "4", "5")},
		{"the total's null details stay", []string{`{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"total_tokens":2}`, full("1", "4", "2", "4", "3")},
			`{"input_tokens":2,"input_tokens_details":null,"output_tokens":3,"total_tokens":5}`},
		{"the total is copied, not computed", []string{full("1", "0", "1", "0", "10"), full("1", "0", "1", "0", "20")}, full("2", "0", "2", "0", "30")},
		{"what cannot be added is left out", []string{`{"total_tokens":1,"cost":0.1}`, `{"total_tokens":2,"cost":0.2}`}, `{"total_tokens":3}`},
		{"counts written as 3.0", []string{`{"total_tokens":3.0}`, `{"total_tokens":1e2}`}, `{"total_tokens":103}`},
		{"no overflow", []string{`{"total_tokens":9223372036854775807}`, `{"total_tokens":1}`}, `{"total_tokens":9223372036854775807}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var total *responses.Usage
			for _, s := range tt.turns {
				total = responses.AddUsage(total, usage(t, s))
			}
			got := ""
			if total != nil {
				got = string(total.AppendTo(nil))
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAddUsage_changes_nothing(t *testing.T) {
	a, b := responses.NewUsage(1, 2), responses.NewUsage(10, 20)
	before := string(a.AppendTo(nil))
	sum := responses.AddUsage(a, b)
	if string(a.AppendTo(nil)) != before || b.InputTokens() != 10 {
		t.Error("a side was changed")
	}
	if sum.InputTokens() != 11 || sum.OutputTokens() != 22 || sum.TotalTokens() != 33 {
		t.Errorf("sum is %s", sum.AppendTo(nil))
	}
	var none *responses.Usage
	if none.InputTokens()+none.OutputTokens()+none.TotalTokens() != 0 {
		t.Error("nil has tokens")
	}
	if n := responses.NewUsage(math.MaxInt64, 1).TotalTokens(); n != math.MaxInt64 {
		t.Errorf("total is %d", n)
	}
}

func TestParseUsage_errors(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                        "an array",
		`{"input_tokens":"12"}`:     "input_tokens",
		`{"total_tokens":1.5}`:      "1.5",
		`{"output_tokens":{"n":1}}`: "output_tokens",
	} {
		if _, err := responses.ParseUsage(jsontext.Value(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", in, err, want)
		}
	}
}
