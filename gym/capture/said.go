package capture

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// ToolCall is a call that a model asked for.
type ToolCall struct {
	ID        *string        `json:"call_id"`
	Name      *string        `json:"name"`
	Arguments jsontext.Value `json:"arguments"` // as the model wrote them; text that is no JSON stands in the member _raw
}

// said is what an answer of any dialect has beside text: calls, and reasoning.
func said(response responses.Object) (calls []ToolCall, reasoning *string) {
	var thoughts []string
	calls = []ToolCall{}
	output, _ := response.Array("output")
	for _, v := range output {
		it := responses.Item{}
		it.Object, _ = responses.View(v)
		switch it.Type() {
		case responses.TypeFunctionCall:
			calls = append(calls, ToolCall{ID: first(text(it.Object, "call_id"), text(it.Object, "id")), Name: text(it.Object, "name"), Arguments: arguments(it.Arguments())})
		case responses.TypeReasoning:
			thoughts = append(thoughts, it.Thoughts()...)
		}
	}
	choices, _ := response.Array("choices")
	for _, v := range choices {
		choice, _ := responses.View(v)
		message, _ := choice.Sub("message")
		list, _ := message.Array("tool_calls")
		for _, v := range list {
			call, _ := responses.View(v)
			f, _ := call.Sub("function")
			written, _ := f.String("arguments")
			calls = append(calls, ToolCall{ID: text(call, "id"), Name: text(f, "name"), Arguments: arguments(written)})
		}
		if thought := or(first(text(message, "reasoning_content"), text(message, "reasoning")), ""); thought != "" {
			thoughts = append(thoughts, thought)
		}
	}
	blocks, _ := response.Array("content")
	for _, v := range blocks {
		block, _ := responses.View(v)
		switch kind, _ := block.String("type"); kind {
		case "tool_use":
			calls = append(calls, ToolCall{ID: text(block, "id"), Name: text(block, "name"), Arguments: member(block, "input")})
		case "thinking":
			if thought, _ := block.String("thinking"); thought != "" {
				thoughts = append(thoughts, thought)
			}
		}
	}
	if len(thoughts) > 0 {
		reasoning = new(strings.Join(thoughts, "\n"))
	}
	return calls, reasoning
}

// arguments is the JSON that a model wrote into a text.
func arguments(written string) jsontext.Value {
	if v, err := responses.ParseArguments(written); err == nil {
		return v
	}
	var o responses.Object
	o.SetString("_raw", written)
	return o.AppendTo(nil)
}
