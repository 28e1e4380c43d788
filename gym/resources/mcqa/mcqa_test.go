package mcqa

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
)

// verify asks a server whose grading_mode is the setting to score a text by a row.
func verify(t *testing.T, setting, row, text string) (int, string) {
	t.Helper()
	in := &config.Instance{Name: "mcqa", Type: config.TypeResources}
	if setting != "" {
		in.Settings = jsontext.Value(`{"grading_mode":"` + setting + `"}`)
	}
	server, err := Build(in, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	body := `{` + row + `,"responses_create_params":{"input":"q"},"response":{"id":"r","created_at":1,"model":"m","object":"response",` +
		`"parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[{"type":"message","role":"assistant","content":[` +
		`{"type":"output_text","text":` + string(quoted) + `}]}]}}`
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", "/verify", strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// optionsOf is a row with four metals for options, of which B is right.
const optionsOf = `"options":[{"A":"iron"},{"B":"Pure  gold"},{"C":"silver"},{"D":null},{"note":"none"}],"expected_answer":" b "`

func TestGrading(t *testing.T) {
	const strict, lenient, colon, markdown = StrictBoxed, LenientBoxed, AnswerColon, AnswerColonMarkdown
	tests := []struct {
		mode Mode
		text string
		want string // the letter; "" for none
	}{
		{strict, `It is \boxed{B}.`, "B"},
		{strict, `First \boxed{A}, but no: \boxed{B}`, "B"},
		{strict, `\boxed{ [B] }`, "B"},
		{strict, `\boxed{\text{B}}`, "B"},
		{strict, `\boxed{\text{ \text{B} }}`, "B"},
		{strict, `\boxed{B: pure gold}`, "B"},
		{strict, `\boxed{B) pure gold}`, "B"},
		{strict, `\boxed{B. pure gold}`, "B"},
		{strict, `\boxed{B - pure gold}`, "B"},
		{strict, `\boxed{B pure gold}`, ""},
		{strict, `\boxed{b}`, ""},
		{strict, `\boxed{Z}`, ""},
		{strict, `\boxed{D}`, ""}, // an option without a text is none
		{strict, `\boxed{AB}`, ""},
		{strict, `\boxed{B`, ""},
		{strict, `\boxed{B} and \boxed{`, ""}, // the last box counts, and it does not close
		{strict, `\boxed{pure gold}`, ""},
		{strict, `The answer is B.`, ""},
		{strict, ` `, ""},

		{lenient, `\boxed{B}`, "B"},
		{lenient, `\boxed{it is pure GOLD indeed}`, "B"},
		{lenient, `\boxed{\text{silver}}`, "C"},
		{lenient, `\boxed{iron or silver}`, ""},
		{lenient, `\boxed{lead}`, ""},
		{lenient, `pure gold`, ""},
		{lenient, `\boxed{A}: \boxed{pure gold}`, "B"},

		{colon, `Answer: B`, "B"},
		{colon, `the ANSWER : b`, "B"},
		{colon, `Answer: Pure gold`, "B"},
		{colon, `Answer: \text{silver}`, "C"},
		{colon, "Answer:\nB", "B"},
		{colon, `Answer: pure gold, I think`, ""},
		{colon, `Answer: Z`, ""},
		{colon, `Answer: A. Answer: B`, ""}, // the first counts, up to the end of its line
		{colon, `**Answer: C**`, ""},
		{colon, `\boxed{B}`, ""},

		{markdown, `Answer: B`, "B"},
		{markdown, `**Answer: C**`, "C"},
		{markdown, `__Answer__: A`, "A"},
		{markdown, "Answer: A\nAnswer: B, because it shines", "B"},
		{markdown, "Answer: B\nAnswer: no idea", "B"},
		{markdown, `Answer: A or B`, ""},
		{markdown, `Answer: A/B`, ""},
		{markdown, `Answer: A, A`, "A"},
		{markdown, `Answer: option (C)`, "C"},
		{markdown, `Answer: b`, "B"},
		{markdown, `Answer: B2`, ""},
		{markdown, `Answer: Ｂ`, "B"},
		{markdown, `Answer: ب`, "B"},
		{markdown, `Answer: éC`, ""},
		{markdown, `B it is`, ""},
		{markdown, `\boxed{B}`, ""},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s/%s", test.mode, test.text), func(t *testing.T) {
			row, setting := optionsOf, ""
			if test.mode == AnswerColonMarkdown {
				setting = string(test.mode)
			} else {
				row += `,"grading_mode":"` + string(test.mode) + `"`
			}
			check(t, setting, row, test.text, test.want)
		})
	}
}

// check compares the letter that is found, and the reward for it.
func check(t *testing.T, setting, row, text, letter string) {
	t.Helper()
	want := `"reward":0,"expected_answer":"B","extracted_answer":null}`
	if letter != "" {
		want = fmt.Sprintf(`"expected_answer":"B","extracted_answer":%q}`, letter)
	}
	if letter == "B" {
		want = `"reward":1,` + want
	}
	if status, got := verify(t, setting, row, text); status != 200 || !strings.HasSuffix(got, want) {
		t.Errorf("got %d %s\nwant it to end with %s", status, got, want)
	}
}

func TestRows(t *testing.T) {
	regex := func(patterns string) string {
		return optionsOf + `,"template_metadata":{"output_regex":` + patterns + `}`
	}
	tests := map[string]struct{ setting, row, text, want string }{
		"strict_is_the_default":          {"", optionsOf, `\boxed{B}`, "B"},
		"null_members":                   {"", optionsOf + `,"metadata":null,"template_metadata":null,"uuid":null`, `\boxed{B}`, "B"},
		"the_configuration_wins":         {"lenient_answer_colon", optionsOf + `,"grading_mode":"strict_single_letter_boxed"`, "Answer: B", "B"},
		"no_options":                     {"", `"expected_answer":"B"`, `\boxed{B}`, ""},
		"null_options":                   {"", `"expected_answer":"B","options":null`, `\boxed{B}`, ""},
		"several_letters_in_one_object":  {"", `"expected_answer":"B","options":[{"A":"x","B":"y"}]`, `\boxed{B}`, "B"},
		"regex":                          {"", regex(`"Choice:\\s*([A-Za-z])"`), "Choice: A, no. CHOICE: b", "B"},
		"regex_of_another_letter":        {"", regex(`"Choice: ([A-Z])"`), "Choice: Q", "Q"},
		"regex_of_an_option's_text":      {"", regex(`"Choice: (.*)"`), "Choice: pure gold ", "B"},
		"regex_without_group":            {"", regex(`"[A-C]$"`), "I say B", "B"},
		"regex_list":                     {"", regex(`["Answer: ([A-Z])", "Antwort: ([A-Z])"]`), "Antwort: B", "B"},
		"regex_of_arabic_letters":        {"", regex(`["الإجابة:\\s*([أ-د])"]`), "الإجابة: ب", "B"},
		"regex_first_then_the_mode":      {"", regex(`"Choice: ([0-9])"`), `Choice: 7. \boxed{B}`, "B"},
		"regex_over_the_mode":            {"", regex(`"Choice: ([A-Z])"`), `\boxed{A} Choice: B`, "B"},
		"regex_that_is_none_in_python":   {"", regex(`["([A-Z"]`), `\boxed{B}`, "B"},
		"no_regex":                       {"", optionsOf + `,"template_metadata":{"output_regex":null,"other":1}`, `\boxed{B}`, "B"},
		"prefix":                         {"lenient_answer_colon_md", optionsOf + `,"template_metadata":{"answer_prefix":"Réponse (fin):"}`, "réponse (FIN):  B.\nok", "B"},
		"prefix_falls_back_to_the_box":   {"lenient_answer_colon_md", optionsOf + `,"template_metadata":{"answer_prefix":"Réponse:"}`, `\boxed{B}`, "B"},
		"the_last_of_prefix_and_answer":  {"lenient_answer_colon_md", optionsOf + `,"template_metadata":{"answer_prefix":"So:"}`, "Answer: A\nSo: B", "B"},
		"the_last_of_answer_and_prefix":  {"lenient_answer_colon_md", optionsOf + `,"template_metadata":{"answer_prefix":"So:"}`, "So: A\nAnswer: B", "B"},
		"an_empty_answer_scores_nothing": {"", regex(`"(.*)"`), "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { check(t, test.setting, test.row, test.text, test.want) })
	}
	t.Run("nothing_expected", func(t *testing.T) {
		if _, got := verify(t, "", `"options":[{"A":"x"}]`, `\boxed{A}`); !strings.HasSuffix(got, `"reward":0,"expected_answer":"","extracted_answer":"A"}`) {
			t.Errorf("got %s", got)
		}
	})
}

func TestRowsThatCannotBeScored(t *testing.T) {
	for row, want := range map[string]string{
		`"grading_mode":"by_feel"`:                                 `{"type":"literal_error","loc":["body","grading_mode"],"msg":"Input should be 'strict_single_letter_boxed', 'lenient_boxed' or 'lenient_answer_colon'","input":"by_feel"`,
		`"grading_mode":"lenient_answer_colon_md"`:                 `"loc":["body","grading_mode"]`,
		`"options":[{"A":1}]`:                                      `"loc":["body","options",0,"A"]`,
		`"options":{"A":"x"}`:                                      `"loc":["body","options"]`,
		`"expected_answer":1`:                                      `"loc":["body","expected_answer"]`,
		`"template_metadata":{"output_regex":["a(?=b)"]}`:          `"loc":["body","template_metadata","output_regex",0],"msg":"Value error, the pattern \"a(?=b)\" has a lookahead at offset 1, which Go's regular expressions (RE2) do not have: write it without","input":"a(?=b)"`,
		`"template_metadata":{"output_regex":"(a)\\1"}`:            `"loc":["body","template_metadata","output_regex"],"msg":"Value error, the pattern \"(a)\\\\1\" has a backreference`,
		`"template_metadata":{"output_regex":["a",3]}`:             `"loc":["body","template_metadata","output_regex",1]`,
		`"template_metadata":{"output_regex":{"pattern":"[A-Z]"}}`: `"loc":["body","template_metadata","output_regex"]`,
	} {
		if status, got := verify(t, "", row, `\boxed{A}`); status != 422 || !strings.Contains(got, want) {
			t.Errorf("%s: got %d %s\nwant %s", row, status, got, want)
		}
	}
}

// TestTextsWithoutEnd has what a model writes that repeats itself: it costs a bounded time, and where that is not enough for
// the row's rule, nothing is scored by another one.
func TestTextsWithoutEnd(t *testing.T) {
	nested := `\boxed{` + strings.Repeat(`\text{`, 200_000) + "B" + strings.Repeat("}", 200_001)
	check(t, "", optionsOf, nested, "B")
	for where, test := range map[string]struct{ setting, template, text string }{
		"output_regex":  {"", `{"output_regex":"(a*)b|a"}`, strings.Repeat("a", 1<<20)},
		"answer_prefix": {string(AnswerColonMarkdown), `{"answer_prefix":"Result:"}`, strings.Repeat("Result: ", 1<<17)},
	} {
		status, got := verify(t, test.setting, optionsOf+`,"template_metadata":`+test.template, test.text)
		if want := `"loc":["body","template_metadata","` + where + `"],"msg":"Value error, looking for it in this text takes too long"`; status != 422 || !strings.Contains(got, want) {
			t.Errorf("%s: got %d %s\nwant %s", where, status, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for settings, want := range map[string]string{
		`{"grading_mode":null}`:       "",
		`{"grading_mode":"boxed"}`:    `grading_mode is "boxed": it must be one of`,
		`{"grading_mode":["strict"]}`: "grading_mode",
	} {
		_, err := Build(&config.Instance{Name: "mcqa", Settings: jsontext.Value(settings)}, nil, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", settings, err, want)
		}
	}
}

// TestMetrics has the summary of two tasks with two rollouts each.
func TestMetrics(t *testing.T) {
	server, err := Build(&config.Instance{Name: "mcqa"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", "/aggregate_metrics", strings.NewReader(`{"verify_responses":[`+
		`{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1,"extracted_answer":"A"},{"_ng_task_index":0,"_ng_rollout_index":1,"reward":1,"extracted_answer":"A"},`+
		`{"_ng_task_index":1,"_ng_rollout_index":0,"reward":0,"extracted_answer":null},{"_ng_task_index":1,"_ng_rollout_index":1,"reward":1,"extracted_answer":"C"}]}`)))
	var got struct {
		Agent map[string]any     `json:"agent_metrics"`
		Key   map[string]float64 `json:"key_metrics"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	want := map[string]float64{
		"mean/reward": 0.75, "pass@1/accuracy": 75, "pass@1[avg-of-2]/accuracy": 75, "pass@1[avg-of-2]/no_answer": 25,
		"pass@2/no_answer": 50, "majority@2/accuracy": 100,
	}
	if fmt.Sprint(got.Key) != fmt.Sprint(want) {
		t.Errorf("the key metrics are %v\nwant %v", got.Key, want)
	}
	if got.Agent["pass@2/accuracy"] != 100.0 {
		t.Errorf("the metrics are %v", got.Agent)
	}
}
