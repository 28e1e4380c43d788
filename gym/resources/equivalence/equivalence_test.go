package equivalence

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// judge answers questions in turn, and keeps what it was asked.
type judge struct {
	t       *testing.T
	answers []string // the texts; "" is a status of 500
	asked   []string // the last message of each question
}

func (j *judge) Do(_ context.Context, call wire.Call) (*wire.Result, error) {
	if call.Server != "judge_model" || call.Path != "/v1/responses" {
		j.t.Errorf("the call goes to %s%s", call.Server, call.Path)
	}
	p, err := responses.ParseCreateParams(call.Body)
	if err != nil {
		j.t.Error(err)
	}
	input, _ := p.Input()
	j.asked = append(j.asked, input[len(input)-1].Text())
	if len(j.asked) > len(j.answers) {
		j.t.Errorf("question %d was not expected", len(j.asked))
		return nil, errors.New("no more answers")
	}
	text := j.answers[len(j.asked)-1]
	if text == "" {
		return &wire.Result{Status: 500, Body: []byte(`"boom-42"`)}, nil
	}
	return &wire.Result{Status: 200, Body: []byte(response(text))}, nil
}

func response(parts ...string) string {
	var content []string
	for _, part := range parts {
		quoted, _ := json.Marshal(part)
		content = append(content, `{"type":"output_text","text":`+string(quoted)+`}`)
	}
	return `{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[` +
		`{"type":"message","role":"assistant","content":[` + strings.Join(content, ",") + `]}]}`
}

// instance has a judge and a prompt of one line, and the further settings.
func instance(t *testing.T, more string) *config.Instance {
	t.Helper()
	prompt := filepath.Join(t.TempDir(), "prompt.txt")
	if err := os.WriteFile(prompt, []byte("Q={question} E={expected_answer} G={generated_answer} {{}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &config.Instance{Name: "equal", Settings: jsontext.Value(`{"judge_model_server":{"type":"responses_api_models","name":"judge_model"},` +
		`"judge_prompt_template_fpath":"` + prompt + `"` + more + `}`)}
}

const yes, no = "So [[A=B]], not [[A!=B]].", "[[A!=B]] and not [[A=B]]"

func TestVerify(t *testing.T) {
	row := `"expected_answer":"four"`
	withRegex := row + `,"template_metadata":{"output_regex":"<a>(.*?)</a>"}`
	tests := map[string]struct {
		settings, row, answer string
		judge                 []string
		asked                 []string // expected and generated answer of each question
		want                  string   // of the reply: from the reward on, without the evaluations
	}{
		"equal":           {"", row, "It is 4.", []string{yes}, []string{"E=four G=It is 4."}, `"reward":1,"expected_answer":"four"`},
		"not_equal":       {"", row, "5", []string{no}, []string{"E=four G=5"}, `"reward":0,`},
		"no_label":        {"", row, "5", []string{"I cannot say."}, []string{"E=four G=5"}, `"verdict_label":null}]}`},
		"own_labels":      {`,"judge_equal_label":"YES","judge_not_equal_label":"NO"`, row, "5", []string{"YES"}, []string{"E=four G=5"}, `"reward":1,`},
		"no_answer":       {"", row, "", []string{no}, []string{"E=four G=[NO VALID ANSWER EXTRACTED]"}, `"reward":0,`},
		"metadata":        {"", `"metadata":{"expected_answer":4}`, "4", []string{yes}, []string{"E=4 G=4"}, `"expected_answer":"4"`},
		"braces_are_text": {"", `"expected_answer":"{question}"`, "{x}", []string{yes}, []string{"E={question} G={x}"}, `"reward":1,`},

		"the_configuration's_regex": {`,"response_extract_regex":"= (\\w+)"`, row, "x = 3, no: x = 4", []string{yes}, []string{"E=four G=4"}, `"reward":1,`},
		"the_row's_regex":           {"", withRegex, "<a>3</a> no <a>\n4 </a>", []string{yes}, []string{"E=four G=4"}, `"reward":1,`},
		"the_row's_is_not_wanted":   {`,"use_per_record_regex":false`, withRegex, "<a>4</a>", []string{yes}, []string{"E=four G=<a>4</a>"}, `"reward":1,`},
		"a_regex_without_match":     {"", withRegex, "4", []string{yes}, []string{"E=four G=4"}, `"reward":1,`},
		"a_regex_that_is_none":      {"", row + `,"template_metadata":{"output_regex":"("}`, "4", []string{yes}, []string{"E=four G=4"}, `"reward":1,`},

		"swapped":             {`,"check_twice_swap":true`, row, "4", []string{yes, yes}, []string{"E=four G=4", "E=4 G=four"}, `"reward":1,`},
		"swapped_fails":       {`,"check_twice_swap":true,"reward_if_swap_fails":-1`, row, "4", []string{yes, no}, []string{"E=four G=4", "E=4 G=four"}, `"reward":-1,`},
		"rescued":             {"", withRegex, "<a>5</a> or 4", []string{no, yes}, []string{"E=four G=5", "E=four G=<a>5</a> or 4"}, `"reward":0.5,`},
		"not_rescued":         {"", withRegex, "<a>5</a>", []string{no, no}, []string{"E=four G=5", "E=four G=<a>5</a>"}, `"reward":0,`},
		"no_rescue_wanted":    {`,"check_full_generation_on_fail":false`, withRegex, "<a>5</a>", []string{no}, []string{"E=four G=5"}, `"reward":0,`},
		"too_long_for_a_cut":  {`,"extraction_length_threshold":3,"check_twice_swap":true`, withRegex, "<a>4</a>", []string{yes}, []string{"E=four G=<a>4</a>"}, `"reward":1,`},
		"too_long_for_rescue": {`,"extraction_length_threshold":3`, withRegex, "<a>5</a>", []string{no}, []string{"E=four G=<a>5</a>"}, `"reward":0,`},
		"no_threshold":        {`,"extraction_length_threshold":null`, withRegex, "<a>4</a>", []string{yes}, []string{"E=four G=4"}, `"reward":1,`},
		"the_judge_fails":     {"", row, "4", []string{""}, []string{"E=four G=4"}, `"reward":0,"_ng_failure_class":"judge_failed","_ng_failure_judge_error":"StatusError: `},
		"it_fails_at_last":    {`,"check_twice_swap":true`, row, "4", []string{yes, ""}, []string{"E=four G=4", "E=4 G=four"}, `"_ng_failure_class":"judge_failed"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			j := &judge{t: t, answers: test.judge}
			server, err := build(instance(t, test.settings), j, nil)
			if err != nil {
				t.Fatal(err)
			}
			body := `{` + test.row + `,"responses_create_params":{"input":[{"role":"user","content":"first"},{"role":"user","content":" 2+2? "}]},"response":` + response(test.answer) + `}`
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest("POST", "/verify", strings.NewReader(body)))
			if w.Code != 200 || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %d %s\nwant %s", w.Code, w.Body, test.want)
			}
			for i, asked := range test.asked {
				if want := "Q=2+2? " + asked + " {}"; i >= len(j.asked) || j.asked[i] != want {
					t.Errorf("question %d of %q, want %q", i, j.asked, want)
				}
			}
		})
	}
}

// TestEvaluations has what the judge was asked and what it answered in the reply.
func TestEvaluations(t *testing.T) {
	j := &judge{t: t, answers: []string{yes}}
	server, err := build(instance(t, `,"judge_system_message":"be fair","judge_responses_create_params":{"input":[],"temperature":0.25}`), j, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", "/verify", strings.NewReader(
		`{"expected_answer":"4","responses_create_params":{"input":"2+2?"},"response":`+response("x", "y")+`}`)))
	if want := `"judge_evaluations":[{"responses_create_params":{"input":[{"role":"system","content":"be fair"},` +
		`{"role":"user","content":"Q=2+2? E=4 G=x\ny {}"}],"temperature":0.25},"response":` + response(yes) + `,"verdict_label":"[[A=B]]"}]}`; !strings.HasSuffix(w.Body.String(), want) {
		t.Errorf("got %s\nwant it to end with %s", w.Body, want)
	}
}

func TestRowThatCannotBeJudged(t *testing.T) {
	server, err := build(instance(t, ""), &judge{t: t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", "/verify", strings.NewReader(
		`{"template_metadata":{"output_regex":"(?<=x)y"},"responses_create_params":{"input":"q"},"response":`+response("x")+`}`)))
	if w.Code != 422 || !strings.Contains(w.Body.String(), "has a lookbehind at offset 0") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestBuild(t *testing.T) {
	for more, want := range map[string]string{
		`,"judge_prompt_template_fpath":"prompt_templates/equivalence_llm_judge.txt"`: "",
		// every key that Python's own configuration has
		`,"entrypoint":"app.py","judge_responses_create_params":{"input":[]},"judge_prompt_template_fpath":"prompt_templates/equivalence_llm_judge.txt",` +
			`"judge_endpoint_max_concurrency":64,"judge_system_message":null,"judge_equal_label":"[[A=B]]","judge_not_equal_label":"[[A!=B]]",` +
			`"question_extract_regex":null,"response_extract_regex":null,"check_twice_swap":false,"reward_if_swap_fails":0.0,"use_per_record_regex":true,` +
			`"extraction_length_threshold":null,"check_full_generation_on_fail":false,"reward_if_full_generation_succeeds":0.0,"domain":"knowledge",` +
			`"verified":false,"description":"x","value":"y"`: "",
		`,"judge_endpoint_max_concurrency":null,"judge_timeout_seconds":30`: "",
		`,"judge_prompt_template_fpath":"nowhere.txt"`:                      "cannot read the prompt of judge_prompt_template_fpath: open nowhere.txt",
		`,"judge_model_server":{"name":""}`:                                 "judge_model_server.name is missing",
		`,"judge_equal_label":"[[A!=B]]"`:                                   "they must be two different texts",
		`,"judge_endpoint_max_concurrency":0`:                               "judge_endpoint_max_concurrency is 0",
		`,"judge_timeout_seconds":-1`:                                       "judge_timeout_seconds is -1",
		`,"question_extract_regex":"(?=a)"`:                                 "question_extract_regex: the pattern",
		`,"response_extract_regex":"("`:                                     "response_extract_regex: the pattern",
		`,"judge_responses_create_params":{"temprature":1}`:                 "judge_responses_create_params: ",
	} {
		in := instance(t, "")
		var merged responses.Object
		if err := json.Unmarshal(in.Settings, &merged); err != nil {
			t.Fatal(err)
		}
		over, err := responses.ParseObject([]byte("{" + more[1:] + "}"))
		if err != nil {
			t.Fatal(err)
		}
		merged.Merge(over)
		in.Settings = merged.AppendTo(nil)
		if _, err := build(in, &judge{t: t}, nil); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", more, err, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	if _, err := parseTemplate(defaultPrompt); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"{question}{question} {{x}} }}":      "4?4? {x} }",
		"a{expected_answer}b":                "a4b",
		"plain":                              "plain",
		"{answer}":                           "error",
		"{question":                          "error",
		"} alone":                            "error",
		"{}":                                 "error",
		"{question!r}":                       "error",
		"\n {{generated_answer}} {question}": "{generated_answer} 4?",
	} {
		got := "error"
		if parsed, err := parseTemplate(text); err == nil {
			got = parsed.fill(map[string]string{"question": "4?", "expected_answer": "4", "generated_answer": "four"})
		} else if !strings.Contains(fmt.Sprint(err), "{question}, {expected_answer}, {generated_answer}") {
			t.Errorf("%q: %v", text, err)
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
