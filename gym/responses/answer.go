package responses

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// Answer is what a model server knows about an answer that it did not get in this dialect.
type Answer struct {
	// ID is the response's id.
	ID string
	// CreatedAt is a number of seconds, as the endpoint wrote it; nil is now.
	CreatedAt jsontext.Value
	// Model is the name of the model that answered; "" is the request's.
	Model string
	// Output is what the model produced, a checked array of items.
	Output jsontext.Value
	// Incomplete is why the answer was cut short: max_output_tokens, content_filter, or "" when it was not.
	Incomplete string
	// Usage is a checked object of token counts; nil is null.
	Usage jsontext.Value
}

// echoed are the params that a response repeats.
var echoed = []string{
	"background", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "parallel_tool_calls",
	"previous_response_id", "prompt", "reasoning", "service_tier", "temperature", "text", "tool_choice", "tools",
	"top_logprobs", "top_p", "truncation", "user",
}

// echoDefaults stand in for params that a request leaves out and every response has.
var echoDefaults = map[string]string{"parallel_tool_calls": "true", "tool_choice": `"auto"`, "tools": "[]"}

// members of a response that are neither echoed nor an addition of the endpoint's.
var answerMembers = map[string]bool{
	"id": true, "object": true, "created_at": true, "status": true, "model": true, "output": true, "usage": true,
	"incomplete_details": true, "error": true, "store": true, "completed_at": true,
}

func init() {
	for _, name := range echoed {
		answerMembers[name] = true
	}
}

// IsResponseMember reports whether a response of this dialect has a member of the name by itself; what it does not know
// is an addition of the endpoint's, which conversions carry along.
func IsResponseMember(name string) bool { return answerMembers[name] }

// Response returns the response to p. Values of p are repeated as they stand; null stands for a default that p has null.
func (a Answer) Response(p CreateParams) Response {
	var t splice.Text
	t.B = make([]byte, 0, len(a.Output)+1024)
	t.Open('{')
	t.StringMember("id", a.ID)
	t.Literal(`"object":"response"`)
	a.created(&t)
	t.Name("status")
	if a.Incomplete == "" {
		t.String("completed")
		t.Literal(`"error":null,"incomplete_details":null`)
	} else {
		t.String("incomplete")
		t.Literal(`"error":null,"incomplete_details":{"reason":`)
		t.B = splice.AppendString(t.B, a.Incomplete)
		t.Close('}')
	}
	a.model(&t, p)
	t.Member("output", a.Output)
	t.Member("usage", a.Usage)
	for _, name := range echoed {
		v, ok := p.Get(name)
		if def := echoDefaults[name]; def != "" && IsNull(v) {
			v, ok = jsontext.Value(def), true
		}
		if ok {
			t.Member(name, v)
		}
	}
	t.Close('}')
	return Response{Object{raw: t.B, members: split(t.B)}}
}

func (a Answer) created(t *splice.Text) {
	t.Name("created_at")
	if _, ok := floatOf(a.CreatedAt); ok {
		t.Raw(a.CreatedAt)
		return
	}
	t.Int(time.Now().Unix())
}

func (a Answer) model(t *splice.Text, p CreateParams) {
	if a.Model != "" {
		t.StringMember("model", a.Model)
		return
	}
	v, _ := p.Get("model")
	if IsNull(v) {
		v = jsontext.Value(`""`)
	}
	t.Member("model", v)
}
