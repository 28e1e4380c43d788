package responses_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// conversation is a request body of about the size: half the bytes are text, a tenth token ids.
func conversation(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"m","temperature":0.7,"metadata":{"extra_body":"{\"seed\":1}"},"tools":[{"type":"function","name":"get_weather",` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},"strict":true}],"input":[{"role":"user","content":"weather?"}`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,{"type":"message","id":"msg_%d","role":"assistant","status":"completed","content":[{"type":"output_text","text":"%s","annotations":[]}],`+
			`"prompt_token_ids":[101,2023,2003,1037,3231],"generation_token_ids":[102],"generation_log_probs":[-0.5]},{"type":"function_call","call_id":"c%d","name":"get_weather","arguments":"{\"city\":\"San Francisco\"}"},`+
			`{"type":"function_call_output","call_id":"c%d","output":"{\"city\":\"San Francisco\",\"weather_description\":\"cold\"}"}`,
			i, strings.Repeat("It is cold here. ", 12), i, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// The typed twin of the body: what a program has that decodes everything it knows, and keeps the rest aside.
type typedParams struct {
	Model       string         `json:"model"`
	Temperature float64        `json:"temperature"`
	Metadata    map[string]any `json:"metadata"`
	Tools       []typedTool    `json:"tools"`
	Input       []typedItem    `json:"input"`
	Rest        jsontext.Value `json:",embed"`
}

type typedTool struct {
	Type       string         `json:"type"`
	Name       string         `json:"name"`
	Parameters map[string]any `json:"parameters"`
	Strict     bool           `json:"strict"`
}

type typedItem struct {
	Type      string         `json:"type,omitempty"`
	ID        string         `json:"id,omitempty"`
	Role      string         `json:"role,omitempty"`
	Status    string         `json:"status,omitempty"`
	Content   any            `json:"content,omitempty"`
	TokenIDs  []int64        `json:"prompt_token_ids,omitempty"`
	CallID    string         `json:"call_id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Arguments string         `json:"arguments,omitempty"`
	Output    string         `json:"output,omitempty"`
	Rest      jsontext.Value `json:",embed"`
}

// BenchmarkHop is what an agent does to a body on each turn: read it, look at the items, append one, write it.
func BenchmarkHop(b *testing.B) {
	for _, size := range []int{2 << 10, 10 << 10, 50 << 10} {
		body := conversation(size)
		b.Run(fmt.Sprintf("%dKB/Typed", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				typedHop(b, body)
			}
		})
		b.Run(fmt.Sprintf("%dKB/Object", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				objectHop(b, body)
			}
		})
		b.Run(fmt.Sprintf("%dKB/ValidateOnly", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if !jsontext.Value(body).IsValid() {
					b.Fatal("invalid")
				}
			}
		})
	}
}

func typedHop(tb testing.TB, body []byte) []byte {
	var p typedParams
	if err := json.Unmarshal(body, &p); err != nil {
		tb.Fatal(err)
	}
	p.Input = append(p.Input, typedItem{Type: "function_call_output", CallID: "c", Output: "cold"})
	out, err := json.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func objectHop(tb testing.TB, body []byte) []byte {
	p, err := responses.ParseCreateParams(body)
	if err != nil {
		tb.Fatal(err)
	}
	items, err := p.Input()
	if err != nil {
		tb.Fatal(err)
	}
	calls := 0
	for _, it := range items {
		if it.Type() == responses.TypeFunctionCall {
			calls++
		}
	}
	if calls == 0 {
		tb.Fatal("no calls")
	}
	p.SetInput(append(items, responses.FunctionCallOutput("c", "cold")))
	return p.AppendTo(nil)
}
