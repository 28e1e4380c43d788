package equivalence

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources/internal/pattern"
	"github.com/lensgo/lens/gym/responses"
)

// settings are the keys of an instance, by the names and with the defaults that Python's server has.
type settings struct {
	Judge          judgeRef         `json:"judge_model_server"`             // who judges: {type: responses_api_models, name: ...} (needed)
	Params         responses.Object `json:"judge_responses_create_params"`  // what the judge is asked with, but for the input
	SystemMessage  *string          `json:"judge_system_message"`           // what the judge is told before the question
	PromptFile     string           `json:"judge_prompt_template_fpath"`    // the question, with {question}, {expected_answer} and {generated_answer} in it (default the prompt that comes with the program)
	MaxConcurrency *int             `json:"judge_endpoint_max_concurrency"` // questions to the judge at a time; null is no bound (default 64)
	Timeout        float64          `json:"judge_timeout_seconds"`          // for one question; 0 is no bound (default 0)
	EqualLabel     string           `json:"judge_equal_label"`              // the verdict that the answers are equal (default [[A=B]])
	NotEqualLabel  string           `json:"judge_not_equal_label"`          // the verdict that they are not (default [[A!=B]])
	QuestionRegex  *string          `json:"question_extract_regex"`         // what of the last message of the user is the question (default all of it)
	ResponseRegex  *string          `json:"response_extract_regex"`         // what of the last message of the model is the answer (default all of it)
	NoAnswer       string           `json:"msg_extraction_failure"`         // what the judge reads where the answer is not found (default [NO VALID ANSWER EXTRACTED])

	TwiceSwapped      bool    `json:"check_twice_swap"`                   // ask again with the answers swapped, and reward what is equal both times
	RewardSwapFails   float64 `json:"reward_if_swap_fails"`               // the reward of what is equal the first time only
	PerRecordRegex    bool    `json:"use_per_record_regex"`               // let a row's template_metadata.output_regex win over response_extract_regex (default true)
	LengthThreshold   *int    `json:"extraction_length_threshold"`        // of rows with a pattern of their own: characters of the expected answer above which all is judged, and once; null is no bound (default 120)
	RescueByWholeText bool    `json:"check_full_generation_on_fail"`      // of rows with a pattern of their own: where what it finds is not equal, ask again with all that the model said (default true)
	RewardRescued     float64 `json:"reward_if_full_generation_succeeds"` // the reward of what is equal only then (default 0.5)
}

// judgeRef names the model server that judges.
type judgeRef struct {
	Name string `json:"name"`
}

// defaultPromptFile is the name of the prompt that this package carries.
const defaultPromptFile = "prompt_templates/equivalence_llm_judge.txt"

//go:embed prompt.txt
var defaultPrompt string

// readSettings reads and checks the settings of an instance.
func readSettings(in *config.Instance) (settings, error) {
	concurrency, threshold := 64, 120
	s := settings{
		PromptFile: defaultPromptFile, MaxConcurrency: &concurrency,
		EqualLabel: "[[A=B]]", NotEqualLabel: "[[A!=B]]", NoAnswer: "[NO VALID ANSWER EXTRACTED]",
		PerRecordRegex: true, LengthThreshold: &threshold, RescueByWholeText: true, RewardRescued: 0.5,
	}
	if len(in.Settings) > 0 {
		if err := in.DecodeSettings(&s); err != nil {
			return s, err
		}
	}
	var errs []error
	if s.Judge.Name == "" {
		errs = append(errs, errors.New("judge_model_server.name is missing: name the model server that is to judge"))
	}
	if s.EqualLabel == "" || s.NotEqualLabel == "" || s.EqualLabel == s.NotEqualLabel {
		errs = append(errs, fmt.Errorf("judge_equal_label is %q and judge_not_equal_label %q: they must be two different texts", s.EqualLabel, s.NotEqualLabel))
	}
	if s.MaxConcurrency != nil && *s.MaxConcurrency < 1 {
		errs = append(errs, fmt.Errorf("judge_endpoint_max_concurrency is %d: it must be at least 1, or null for no bound", *s.MaxConcurrency))
	}
	if !(s.Timeout >= 0 && s.Timeout < 1e9) {
		errs = append(errs, fmt.Errorf("judge_timeout_seconds is %v: it must be a number of seconds from 0, which is no bound", s.Timeout))
	}
	params := responses.CreateParams{Object: s.Params}
	params.SetInput(nil)
	if _, err := responses.ParseCreateParams(params.AppendTo(nil)); err != nil {
		errs = append(errs, fmt.Errorf("judge_responses_create_params: %w", err))
	}
	return s, errors.Join(errs...)
}

// prompt reads the template that is asked by: a file, looked for as configurations are, and where Python's server has its
// own; else the one that this package carries, which goes by the name of Python's.
func (s settings) prompt() (template, error) {
	for _, name := range []string{s.PromptFile, filepath.Join(config.TypeResources, "equivalence_llm_judge", s.PromptFile)} {
		found := config.Find(nil, name)
		if _, err := os.Stat(found); err == nil {
			return readTemplate(found)
		}
	}
	if filepath.ToSlash(s.PromptFile) == defaultPromptFile {
		return parseTemplate(defaultPrompt)
	}
	return readTemplate(s.PromptFile) // to say what is wrong with it
}

func readTemplate(path string) (template, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the prompt of judge_prompt_template_fpath: %w", err)
	}
	t, err := parseTemplate(string(text))
	if err != nil {
		return nil, fmt.Errorf("cannot read the prompt %s: %w", path, err)
	}
	return t, nil
}

// patternOf compiles the regular expression of a setting; nil is none.
func patternOf(key string, text *string) (*pattern.Pattern, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	p, err := pattern.Compile(*text, pattern.Multiline|pattern.DotAll)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return p, nil
}
