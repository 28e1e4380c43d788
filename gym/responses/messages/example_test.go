package messages_test

import (
	"fmt"

	"github.com/lensgo/lens/gym/responses/messages"
)

func ExampleToParams() {
	r, err := messages.ParseRequest([]byte(`{"max_tokens":64,"system":"Be brief.","messages":[{"role":"user","content":"2+2?"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"add","input":{"a":2,"b":2}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := messages.ToParams(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	items, _ := p.Input()
	for _, it := range items {
		fmt.Printf("%s %s%s\n", it.Type(), it.Text()+it.Name(), it.Arguments())
	}
	// Output:
	// message 2+2?
	// function_call add{"a":2,"b":2}
}
