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
	Judge struct {
		Name string `json:"name"`
	} `json:"judge_model_server"`
	Params         responses.Object `json:"judge_responses_create_params"`
	SystemMessage  *string          `json:"judge_system_message"`
	PromptFile     string           `json:"judge_prompt_template_fpath"`
	MaxConcurrency *int             `json:"judge_endpoint_max_concurrency"`
	Timeout        float64          `json:"judge_timeout_seconds"`
	EqualLabel     string           `json:"judge_equal_label"`
	NotEqualLabel  string           `json:"judge_not_equal_label"`
	QuestionRegex  *string          `json:"question_extract_regex"`
	ResponseRegex  *string          `json:"response_extract_regex"`
	NoAnswer       string           `json:"msg_extraction_failure"`

	TwiceSwapped      bool    `json:"check_twice_swap"`
	RewardSwapFails   float64 `json:"reward_if_swap_fails"`
	PerRecordRegex    bool    `json:"use_per_record_regex"`
	LengthThreshold   *int    `json:"extraction_length_threshold"`
	RescueByWholeText bool    `json:"check_full_generation_on_fail"`
	RewardRescued     float64 `json:"reward_if_full_generation_succeeds"`
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
