package model

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// Synthetic is a model without weights: it reads the numbers and the quoted words of the user's text, hands them to the
// tools and answers with what the tools returned. It stands in for a language model in demos, tests and load runs.
//
// What it answers is a pure function of its settings and the request: the conversation, the tools, parallel_tool_calls,
// tool_choice, model, and the seed inside metadata.extra_body. Ids (of items, calls, responses, users), the rest of
// metadata and sampling parameters change nothing. So a task that is repeated gets the same answer again, mistakes and
// failures included, unless the repeats carry different seeds.
//
// A Synthetic holds no state and is safe for concurrent use.
type Synthetic struct {
	settings SyntheticSettings
}

// NewSynthetic returns a synthetic model; the error lists what is wrong with the settings.
func NewSynthetic(s SyntheticSettings) (*Synthetic, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("cannot use the settings of a synthetic_model: %w", err)
	}
	return &Synthetic{s}, nil
}

// Answer is one turn of a synthetic model, before it has taken its time.
type Answer struct {
	Wait     time.Duration
	Status   int                // 200, or the status that this request fails with
	Response responses.Response // with status 200
}

// Answer works out the turn that follows the request. The error is about the request: a [responses.FieldErrors].
func (s *Synthetic) Answer(p responses.CreateParams) (Answer, error) {
	c, err := readConversation(s.settings.Seed, p)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Wait: s.settings.Latency.draw(c.turn), Status: http.StatusOK}
	failure, failed := s.settings.Failures.draw(c.turn)
	if failed && failure.Status != 0 {
		a.Status = failure.Status
		return a, nil
	}
	output := s.output(c, failure)
	a.Response = s.response(p, c, output)
	return a, nil
}

// output is what the model says in this turn: calls, or a text.
func (s *Synthetic) output(c conversation, failure FailureKind) []responses.Item {
	if failure.Name == Empty {
		return []responses.Item{responses.OutputMessage(c.turn.id("msg_", "message"), "")}
	}
	calls := nextCalls(c, s.settings.MistakeRate)
	if len(calls) == 0 {
		return []responses.Item{responses.OutputMessage(c.turn.id("msg_", "message"), answerText(c.made))}
	}
	if failure.Name == MalformedArguments && !c.justMalformed() {
		last := &calls[len(calls)-1]
		last.arguments = last.arguments[:len(last.arguments)-1] // without its closing brace
	}
	items := make([]responses.Item, len(calls))
	for i, call := range calls {
		purpose := fmt.Sprint("call ", i)
		items[i] = responses.FunctionCall(c.turn.id("fc_", purpose), c.turn.id("call_", purpose), call.name, call.arguments)
	}
	return items
}

// createdAt stands in every answer, because a clock would make equal requests have unequal answers. It is the first
// second of 2026.
const createdAt = 1767225600

// response builds the Responses object around the output.
func (s *Synthetic) response(p responses.CreateParams, c conversation, output []responses.Item) responses.Response {
	var r responses.Response
	r.SetString("id", c.turn.id("resp_", "response"))
	r.SetString("object", "response")
	r.SetInt("created_at", createdAt)
	r.SetString("status", "completed")
	r.Set("error", nil)
	r.Set("incomplete_details", nil)
	r.SetString("model", s.modelName(p))
	r.SetOutput(output)
	r.SetBool("parallel_tool_calls", c.parallel)
	r.Set("tool_choice", given(p, "tool_choice", `"auto"`))
	r.Set("tools", given(p, "tools", `[]`))
	r.SetUsage(s.settings.Tokens.usage(c.read, output))
	return r
}

func (s *Synthetic) modelName(p responses.CreateParams) string {
	if s.settings.Model != "" {
		return s.settings.Model
	}
	if name, _ := p.String("model"); name != "" {
		return name
	}
	return "synthetic"
}

// given is a member of the request, or what stands for it when it is absent or null.
func given(p responses.CreateParams, name, otherwise string) jsontext.Value {
	if v, ok := p.Get(name); ok && v.Kind() != 'n' {
		return v
	}
	return jsontext.Value(otherwise)
}
