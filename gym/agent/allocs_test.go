//go:build !race

package agent

import (
	"context"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// echo answers every call with the same result, and refuses to be observed.
type echo struct {
	t      *testing.T
	answer *wire.Result
}

func (e echo) Do(_ context.Context, call wire.Call) (*wire.Result, error) {
	if call.Observe != nil {
		e.t.Error("a call is observed while content is off")
	}
	return e.answer, nil
}

// TestContentOffCostsNothing: the numbers are those of the loop before content could be recorded, and one for the copy of a
// tool's output. Without the race detector, which makes pools forget.
func TestContentOffCostsNothing(t *testing.T) {
	ctx, p := t.Context(), params(t, `{"input":"q"}`)
	tool := newAgent(t, echo{t, ok(`{"cold":true}`)}, 0)
	called, err := responses.ParseItem([]byte(call("1", "weather", `{"city":"Oslo"}`)))
	if err != nil {
		t.Fatal(err)
	}
	model := newAgent(t, echo{t, ok(answer("", message))}, 0)
	for name, test := range map[string]struct {
		was float64
		f   func()
	}{
		"a tool": {16, func() {
			c, _ := newConversation(p)
			_ = tool.callTool(ctx, c, &trajectory{}, called)
		}},
		"a turn": {11, func() {
			c, _ := newConversation(p)
			_, _ = model.ask(ctx, c, &trajectory{})
		}},
	} {
		if got := testing.AllocsPerRun(200, test.f); got > test.was {
			t.Errorf("%s: %v allocations, %v before", name, got, test.was)
		}
	}
}
