// Package equivalence is the environment equivalence_llm_judge: another model says whether an answer is the expected one.
//
// There are no tools. A row has the right answer, and may say how the model's is found in its text:
//
//	{"responses_create_params":{"input":[...]},"expected_answer":"ls -a",
//	 "template_metadata":{"output_regex":"<answer>(.*?)</answer>"}}
//
// The judge is a model server of the run, asked with a prompt that has the question, the expected answer and the generated
// one. Of its labels, [[A=B]] and [[A!=B]], the one that comes first in its text counts; without a label the answers are not
// equal. When the judge cannot be asked the rollout is not scored at all (see [resources.JudgeError]).
//
//	equivalence_llm_judge:
//	  resources_servers:
//	    equivalence_llm_judge:
//	      entrypoint: app.py
//	      domain: knowledge
//	      judge_model_server: {type: responses_api_models, name: policy_model}
//	      judge_responses_create_params: {input: []}   # temperature, max_output_tokens and so on
//
// The reward is 1 or 0, but for two checks that can be asked for. With check_twice_swap an answer that was found equal is
// judged once more with the two in each other's place, because judges favour places; the reward is reward_if_swap_fails
// when that fails. With check_full_generation_on_fail an answer that was cut out by a row's own pattern and found not to be
// equal is judged once more by the whole text, for a reward of reward_if_full_generation_succeeds. An expected answer that
// is longer than extraction_length_threshold is compared with the whole text, and once only, where the row has a pattern.
//
// The score is a function of the request and of the judge, so a rollout may be verified again at any time.
package equivalence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/internal/pattern"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// row is what a task has beside responses_create_params.
type row struct {
	Expected jsontext.Value `json:"expected_answer,omitzero"`
	Metadata *struct {
		Expected jsontext.Value `json:"expected_answer,omitzero"`
	} `json:"metadata,omitzero"`
	Template *struct {
		OutputRegex *string `json:"output_regex,omitzero"`
	} `json:"template_metadata,omitzero"`
}

// evaluation is one question to the judge and what came of it.
type evaluation struct {
	Params   responses.Object `json:"responses_create_params"`
	Response responses.Object `json:"response"`
	Label    *string          `json:"verdict_label"` // nil when the judge gave none
}

// grade is what /verify adds to its reply.
type grade struct {
	Expected    string       `json:"expected_answer"`
	Evaluations []evaluation `json:"judge_evaluations"`
}

// environment is one server.
type environment struct {
	settings settings
	prompt   template
	question *pattern.Pattern // to cut the question out by, nil for none
	answer   *pattern.Pattern // likewise the answer, where the row has none of its own
	judges   *resources.Judges[*string]
	patterns pattern.Cache
}

// Build returns the server of an equivalence_llm_judge instance. The judge is asked by client.
func Build(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	return build(in, client, logger)
}

func build(in *config.Instance, caller resources.Caller, logger *slog.Logger) (*wire.Server, error) {
	set, err := readSettings(in)
	if err != nil {
		return nil, fmt.Errorf("cannot build equivalence_llm_judge server: %w", err)
	}
	e := &environment{settings: set}
	var wrong [3]error
	e.prompt, wrong[0] = set.prompt()
	e.question, wrong[1] = patternOf("question_extract_regex", set.QuestionRegex)
	e.answer, wrong[2] = patternOf("response_extract_regex", set.ResponseRegex)
	if err := errors.Join(wrong[:]...); err != nil {
		return nil, fmt.Errorf("cannot build equivalence_llm_judge server: %w", err)
	}
	o := resources.JudgeOptions{Timeout: time.Duration(set.Timeout * float64(time.Second))}
	if set.MaxConcurrency != nil {
		o.MaxConcurrent = *set.MaxConcurrency
	}
	e.judges = resources.NewJudges(caller, o, e.label)
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyStateless)
	resources.Verify(s, e.verify)
	return s.Build()
}

// task is a rollout as far as judging needs it.
type task struct {
	question string
	expected string
	answer   string           // what was cut out of the text, or all of it
	whole    string           // all of it
	own      *pattern.Pattern // the row's, nil for none
	tooLong  bool             // the row's pattern was not used, because the expected answer is long
}

func (e *environment) verify(ctx context.Context, v resources.Verification[row]) (float64, grade, error) {
	t, err := e.task(ctx, v)
	if err != nil {
		return 0, grade{}, err
	}
	g := grade{Expected: t.expected}
	equal, err := e.judge(ctx, &g, t.question, t.expected, t.answer)
	switch {
	case err != nil || t.tooLong:
		return resources.Reward(equal), g, err
	case equal && e.settings.TwiceSwapped:
		again, err := e.judge(ctx, &g, t.question, t.answer, t.expected)
		if again || err != nil {
			return 1, g, err
		}
		return e.settings.RewardSwapFails, g, nil
	case !equal && e.settings.RescueByWholeText && t.own != nil:
		rescued, err := e.judge(ctx, &g, t.question, t.expected, t.whole)
		return e.settings.RewardRescued * resources.Reward(rescued), g, err
	}
	return resources.Reward(equal), g, nil
}

// judge asks once, and adds what came of it to g.
func (e *environment) judge(ctx context.Context, g *grade, question, expected, generated string) (equal bool, err error) {
	params := responses.CreateParams{Object: e.settings.Params}
	var input []responses.Item
	if system := e.settings.SystemMessage; system != nil && *system != "" {
		input = append(input, responses.Message("system", *system))
	}
	params.SetInput(append(input, responses.UserMessage(e.prompt.fill(map[string]string{
		"question": question, "expected_answer": expected, "generated_answer": generated,
	}))))
	verdict, err := e.judges.Judge(ctx, e.settings.Judge.Name, params)
	if err != nil {
		return false, err
	}
	g.Evaluations = append(g.Evaluations, evaluation{params.Object, verdict.Response.Object, verdict.Value})
	return verdict.Value != nil && *verdict.Value == e.settings.EqualLabel, nil
}
