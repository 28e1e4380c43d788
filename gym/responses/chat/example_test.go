package chat_test

import (
	"fmt"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
)

func ExampleFromParams() {
	p, err := responses.ParseCreateParams([]byte(`{"input":[{"role":"user","content":"2+2?"},` +
		`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"easy"}]},{"role":"assistant","content":"4"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := chat.FromParams(p, chat.Options{Model: "qwen"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", r.AppendTo(nil))
	// Output: {"messages":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"<think>easy</think>4"}],"model":"qwen"}
}
