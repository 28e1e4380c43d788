package responses_test

import (
	"errors"
	"fmt"

	"github.com/lensgo/lens/gym/responses"
)

func Example() {
	body := []byte(`{"input":"weather in sf?","temperature":1.0,"metadata":{"run":"9007199254740993"}}`)
	p, err := responses.ParseCreateParams(body)
	if err != nil {
		fmt.Println(err)
		return
	}
	items, err := p.Input()
	if err != nil {
		fmt.Println(err)
		return
	}
	p.SetInput(append(items, responses.FunctionCallOutput("call_1", "cold")))
	fmt.Println(string(p.AppendTo(nil)))
	// Output:
	// {"input":[{"role":"user","content":"weather in sf?"},{"type":"function_call_output","call_id":"call_1","output":"cold"}],"temperature":1.0,"metadata":{"run":"9007199254740993"}}
}

func ExampleFieldErrors() {
	_, err := responses.ParseCreateParams([]byte(`{"input":"hi","seed":7}`))
	var fields responses.FieldErrors
	if errors.As(err, &fields) {
		fmt.Println(fields)
	}
	// Output: cannot accept body: body.seed: Extra inputs are not permitted
}
