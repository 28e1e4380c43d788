package rollout

import (
	"strings"

	"github.com/lensgo/lens/gym/responses"
)

// writtenByModel tells a model's items from those that an agent put between its turns: outputs of tools, messages of
// others, answers to approval requests.
func writtenByModel(it responses.Item) bool {
	t := it.Type()
	switch {
	case t == responses.TypeMessage:
		return it.Role() == "assistant"
	case strings.HasSuffix(t, "_output"), t == "mcp_approval_response":
		return false
	}
	return true
}

// count derives from what a rollout produced how often the model was called and how many tools were. Each unbroken run
// of items that a model writes is one call.
func count(items []responses.Item) (turns, toolCalls int) {
	inTurn := false
	for _, it := range items {
		if it.Type() == responses.TypeFunctionCall {
			toolCalls++
		}
		written := writtenByModel(it)
		if written && !inTurn {
			turns++
		}
		inTurn = written
	}
	return turns, toolCalls
}
