package model_test

import (
	"fmt"
	"testing"

	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses"
)

func ExampleSynthetic_Answer() {
	m, err := model.NewSynthetic(model.SyntheticSettings{Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := responses.ParseCreateParams([]byte(`{
	  "input": "How warm is it in 'Oslo'?",
	  "tools": [{"type": "function", "name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}}}}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	turn, err := m.Answer(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	calls, err := turn.Response.Output()
	fmt.Println(calls[0].Name(), calls[0].Arguments(), err)

	// An agent appends the call and the tool's output, and asks again.
	p.SetInput(append([]responses.Item{responses.UserMessage("How warm is it in 'Oslo'?")},
		calls[0], responses.FunctionCallOutput(calls[0].CallID(), `{"celsius": 4}`)))
	turn, err = m.Answer(p)
	fmt.Println(turn.Response.Text(), err)
	// Output:
	// get_weather {"city":"Oslo"} <nil>
	// Done. The last tool answered: {"celsius": 4} <nil>
}

func BenchmarkSynthetic(b *testing.B) {
	m, err := model.NewSynthetic(model.DefaultSyntheticSettings())
	if err != nil {
		b.Fatal(err)
	}
	p, err := responses.ParseCreateParams([]byte(`{"input":[{"role":"user","content":"Weigh 'a', 'bc' and 'def'."}],
	  "tools":[{"type":"function","name":"look","parameters":{"properties":{"word":{"type":"string"}}}}]}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Answer(p); err != nil {
			b.Fatal(err)
		}
	}
}
