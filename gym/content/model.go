package content

import (
	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/semconv"
)

// ModelCall is one call of a model, as who made it knows it.
//
// A conversation grows with each call and is sent whole every time. Recorded is only what is new: Input are the items that
// the model has not been told and did not say itself, and the span says how many messages stand before them, recorded with the
// calls before. What the model was told once, its instructions and the names of its tools, goes with the first call.
type ModelCall struct {
	Params  responses.CreateParams // the request
	Input   []responses.Item       // what is new in it
	Earlier int                    // messages before Input; 0 makes this the first call
	Answer  []byte                 // the body of the answer; empty when the model gave none
}

// Record puts the call on its span and returns how many messages it recorded. An attribute gets at most bound bytes. On a
// span that does not record it does nothing.
func (c ModelCall) Record(span lens.Span, bound int) (count int) {
	if !span.Recording() {
		return 0
	}
	defer contain(span)
	var lost losses
	span.Str(semconv.GenAIOperationName, semconv.OperationChat)
	if model, ok := c.Params.String("model"); ok {
		span.Str(semconv.GenAIRequestModel, cut(model, MaxText))
	}
	if c.Earlier == 0 {
		c.recordOnce(span, bound, &lost)
	} else {
		span.Int(semconv.GymContentEarlier, c.Earlier)
	}
	input := newMessages(bound)
	for _, it := range c.Input {
		input.add(it, false)
	}
	span.Str(semconv.GenAIInputMessages, input.finish(""))
	lost.add(input.losses)
	count = input.count + c.recordAnswer(span, bound, &lost)
	lost.record(span)
	return count
}

// recordOnce records what is the same for all calls of a conversation.
func (c ModelCall) recordOnce(span lens.Span, bound int, lost *losses) {
	if v, ok := c.Params.Get("instructions"); ok && v.Kind() == '"' {
		text := excerptOfJSON(v)
		out := appendQuote([]byte(`[{"type":"text","content":`), lost.clean(text))
		if out = append(out, "}]"...); len(out) > bound {
			lost.cut += text.total
		} else {
			span.Str(semconv.GenAISystemInstructions, string(out))
		}
	}
	if tools, err := c.Params.Tools(); err == nil && len(tools) > 0 {
		span.Str(semconv.GenAIToolDefinitions, definitions(tools, bound, lost))
	}
}

// definitions lists the tools by type and name. The conventions advise against more, because it is large and always the same.
func definitions(tools []responses.Tool, bound int, lost *losses) string {
	out := []byte{'['}
	for i, t := range tools {
		before := len(out)
		if i > 0 {
			out = append(out, ',')
		}
		name := t.Name()
		if f, ok := t.Sub("function"); ok && name == "" { // as Chat Completions have it
			name, _ = f.String("name")
		}
		out = appendQuote(append(out, `{"type":`...), lost.clean(excerptOf(t.Type())))
		out = appendQuote(append(out, `,"name":`...), lost.clean(excerptOf(name)))
		out = append(out, '}')
		if len(out)+1 > bound {
			out = out[:before]
			for _, t := range tools[i:] {
				lost.cut += sizeOf(responses.Item(t))
			}
			break
		}
	}
	return string(append(out, ']'))
}

// recordAnswer records what the model said, if it did.
func (c ModelCall) recordAnswer(span lens.Span, bound int, lost *losses) (count int) {
	if len(c.Answer) == 0 {
		return 0
	}
	answer, err := responses.ParseResponse(c.Answer)
	if err != nil {
		return 0
	}
	items, err := answer.Output()
	if err != nil {
		return 0
	}
	reason := finishReason(answer, items)
	output := newMessages(bound)
	output.open("assistant") // also when nothing was said: one choice is one message
	for _, it := range items {
		if it.Type() == responses.TypeMessage && it.Role() != "assistant" {
			continue // of somebody else; no choice of this model
		}
		output.another = false
		output.add(it, true)
	}
	span.Str(semconv.GenAIOutputMessages, output.finish(reason))
	span.Strs(semconv.GenAIResponseFinishReasons, []string{cut(reason, markRoom)})
	if model, ok := answer.String("model"); ok {
		span.Str(semconv.GenAIResponseModel, cut(model, MaxText))
	}
	lost.add(output.losses)
	return output.count
}

// finishReason says in the conventions' words why the model stopped.
func finishReason(answer responses.Response, items []responses.Item) string {
	if answer.Incomplete() {
		switch reason := answer.IncompleteReason(); reason {
		case "max_output_tokens":
			return "length"
		case "":
			return "incomplete"
		default:
			return reason // content_filter among them
		}
	}
	if status, _ := answer.String("status"); status == "failed" {
		return "error"
	}
	for _, it := range items {
		if it.Type() == responses.TypeFunctionCall {
			return "tool_call"
		}
	}
	return "stop"
}
