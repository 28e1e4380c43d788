package agent

import (
	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/content"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// recordTurn returns what puts the next model call's messages on its span: those that the model was not told before, and its
// answer.
func (c *conversation) recordTurn(bound int) func(lens.Span, *wire.Result) {
	return func(span lens.Span, answer *wire.Result) {
		turn := content.ModelCall{Params: c.params, Input: c.fresh(), Earlier: c.recorded}
		if answer != nil && answer.Err() == nil {
			turn.Answer = answer.Body
		}
		c.recorded += turn.Record(span, bound)
	}
}

// fresh is what the model has not been told and did not say itself.
func (c *conversation) fresh() []responses.Item {
	if c.recorded > 0 {
		return c.output[c.answered:]
	}
	items, err := c.params.Input()
	if err != nil {
		return nil // newConversation would have said so
	}
	return append(items, c.output...)
}

// recordTool returns what puts a tool call on its span.
func recordTool(call responses.Item, bound int) func(lens.Span, *wire.Result) {
	return func(span lens.Span, answer *wire.Result) {
		record := content.ToolCall{ID: call.CallID(), Name: call.Name(), Arguments: call.Arguments()}
		if answer != nil {
			record.Result = answer.Body
		}
		record.Record(span, bound)
	}
}
