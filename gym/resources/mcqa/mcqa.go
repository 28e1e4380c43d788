// Package mcqa is the environment mcqa: multiple-choice questions, answered with a letter in a text.
//
// There are no tools. A row has the options, in objects of one member each, and the letter that is right:
//
//	{"responses_create_params":{"input":[...]},"options":[{"A":"iron"},{"B":"gold"}],"expected_answer":"B",
//	 "grading_mode":"lenient_boxed","template_metadata":{"output_regex":"Answer:\\s*([A-Z])"}}
//
// The reward is 1 when the letter that was found in the model's text is the right one, else 0; the reply says both. How a
// letter is found is the row's to say, in this order:
//
//   - template_metadata.output_regex, a regular expression of Python or a list of them: the last match of the first one that
//     gives a letter or the text of an option. Case does not count. See package pattern for what RE2 cannot do; a row that
//     needs it is answered with 422.
//   - grading_mode, which the configuration may fix for all rows ([Mode]).
//
// The score is a function of the request, so a rollout may be verified again at any time.
package mcqa

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/internal/pattern"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
	"github.com/lensgo/lens/gym/wire"
)

// Mode is a way to find the letter in a text.
type Mode string

// The modes.
const (
	// StrictBoxed takes the last \boxed{...}: a capital letter by itself, or one with :, ), . or - behind it. \text{...} around
	// it is taken off.
	StrictBoxed Mode = "strict_single_letter_boxed"
	// LenientBoxed is StrictBoxed, and else the one option whose text is in the box.
	LenientBoxed Mode = "lenient_boxed"
	// AnswerColon takes what follows the first "Answer:" on its line: a letter, or the whole text of an option.
	AnswerColon Mode = "lenient_answer_colon"
	// AnswerColonMarkdown takes what follows the last "Answer:" that has a letter, with * and _ around it. A row may name
	// another word in template_metadata.answer_prefix. Only the configuration can ask for this mode.
	AnswerColonMarkdown Mode = "lenient_answer_colon_md"
)

// rowModes are the modes that a row can ask for.
var rowModes = []Mode{StrictBoxed, LenientBoxed, AnswerColon}

// settings are the keys of an mcqa instance.
type settings struct {
	Mode Mode `json:"grading_mode"` // how the letter is found in all rows; null is what each row says in its own grading_mode
}

// row is what a task has beside responses_create_params.
type row struct {
	Options  *[]responses.Object `json:"options,omitzero"`
	Expected *string             `json:"expected_answer,omitzero"`
	Mode     *Mode               `json:"grading_mode,omitzero"`
	Template *template           `json:"template_metadata,omitzero"`
}

// template is how a row's question was made.
type template struct {
	OutputRegex  jsontext.Value `json:"output_regex,omitzero"`
	AnswerPrefix *string        `json:"answer_prefix,omitzero"`
}

// grade is what /verify adds to its reply.
type grade struct {
	Expected  string  `json:"expected_answer"`
	Extracted *string `json:"extracted_answer"`
}

// environment is one server.
type environment struct {
	mode     Mode // "" is the row's
	patterns pattern.Cache
}

// Build returns the server of an mcqa instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var set settings
	if len(in.Settings) > 0 {
		if err := in.DecodeSettings(&set); err != nil {
			return nil, err
		}
	}
	if all := append(slices.Clone(rowModes), AnswerColonMarkdown); set.Mode != "" && !slices.Contains(all, set.Mode) {
		return nil, fmt.Errorf("cannot build mcqa server: grading_mode is %q: it must be one of %q, or null for what each row says", set.Mode, all)
	}
	e := &environment{mode: set.Mode}
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyStateless)
	s.Metrics(score.Hooks{Metrics: score.PassMajority{Answer: "extracted_answer"}.Metrics, Key: keyMetrics})
	resources.Verify(s, e.verify)
	return s.Build()
}

func (e *environment) verify(ctx context.Context, v resources.Verification[row]) (float64, grade, error) {
	g := grade{}
	if v.Row.Expected != nil {
		g.Expected = strings.ToUpper(strings.TrimSpace(*v.Row.Expected))
	}
	q, err := e.question(v.Row)
	if err != nil {
		return 0, g, err
	}
	if text := strings.TrimSpace(v.Response.Text()); text != "" {
		letter, err := q.extract(pattern.NewWork(ctx), text)
		if err != nil {
			return 0, g, tooMuch(err, v.Row)
		}
		if letter != "" {
			g.Extracted = &letter
		}
	}
	return resources.Reward(g.Expected != "" && g.Extracted != nil && *g.Extracted == g.Expected), g, nil
}

// tooMuch says of which member of the row it is that a search was given up for.
func tooMuch(err error, r row) error {
	if !errors.Is(err, pattern.ErrTooMuch) {
		return err
	}
	name, value := "output_regex", r.Template.OutputRegex
	if value == nil || responses.IsNull(value) {
		name = "answer_prefix"
		value, _ = jsontext.AppendQuote(nil, *r.Template.AnswerPrefix)
	}
	return responses.FieldErrors{{Type: "value_error", Loc: []any{"body", "template_metadata", name}, Msg: "Value error, " + err.Error(), Input: value}}
}

// question is a row as far as grading needs it.
type question struct {
	options  options
	mode     Mode
	prefix   string             // before the answer, "" for none
	patterns []*pattern.Pattern // to try first
}

// question reads a row. The error is a [responses.FieldErrors].
func (e *environment) question(r row) (q question, err error) {
	q.mode = StrictBoxed
	if r.Mode != nil {
		if q.mode = *r.Mode; !slices.Contains(rowModes, q.mode) {
			return q, literalError(q.mode)
		}
	}
	if e.mode != "" {
		q.mode = e.mode
	}
	if r.Options != nil {
		if q.options, err = readOptions(*r.Options); err != nil {
			return q, err
		}
	}
	if t := r.Template; t != nil {
		if t.AnswerPrefix != nil {
			q.prefix = *t.AnswerPrefix
		}
		q.patterns, err = e.compile(t.OutputRegex)
	}
	return q, err
}

// literalError says that a row asks for a mode that it cannot ask for.
func literalError(m Mode) error {
	quoted, _ := jsontext.AppendQuote(nil, string(m))
	want := fmt.Sprintf("'%s', '%s' or '%s'", StrictBoxed, LenientBoxed, AnswerColon)
	return responses.FieldErrors{{Type: "literal_error", Loc: []any{"body", "grading_mode"}, Msg: "Input should be " + want,
		Input: quoted, Ctx: map[string]string{"expected": want}}}
}

// keyMetrics are what a summary shows.
func keyMetrics(agent score.Metrics) (key score.Metrics) {
	one := func(name string) {
		if value, ok := agent.Get(name); ok {
			key = key.With(score.Metrics{{Name: name, Value: value}})
		}
	}
	only := func(names ...string) func(string) bool {
		return func(score string) bool { return slices.Contains(names, score) }
	}
	one("mean/reward")
	key = key.With(agent.HighestK("pass@1[avg-of-{k}]", only("accuracy", "no_answer")))
	key = key.With(agent.HighestK("pass@{k}", only("no_answer")))
	key = key.With(agent.HighestK("majority@{k}", only("accuracy")))
	one("pass@1/accuracy")
	return key
}
