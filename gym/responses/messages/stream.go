package messages

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
	"github.com/lensgo/lens/gym/responses/sse"
)

// Replay returns the body of an event stream that gives m as if it had been streamed: message_start, for each block a
// content_block_start, one content_block_delta and a content_block_stop, then message_delta and message_stop. What a delta
// does not say, such as the signature of a thought or a block of an unknown type, stands in content_block_start.
func Replay(m Message) []byte {
	var body []byte
	begun := m.Object
	begun.Set("content", jsontext.Value("[]"))
	begun.Set("stop_reason", nil)
	begun.Set("stop_sequence", nil)
	body = appendEvent(body, "message_start", func(t *splice.Text) {
		t.Name("message")
		t.B = begun.AppendTo(t.B)
	})
	blocks, _ := m.Array("content")
	for i, v := range blocks {
		block, _ := responses.View(v)
		body = appendBlock(body, block, i)
	}
	body = appendEvent(body, "message_delta", func(t *splice.Text) {
		t.Name("delta")
		t.Open('{')
		for _, name := range []string{"stop_reason", "stop_sequence"} {
			v, _ := m.Get(name)
			t.Member(name, v)
		}
		t.Close('}')
		usage, _ := m.Get("usage")
		if responses.IsNull(usage) {
			usage = jsontext.Value(`{"output_tokens":0}`)
		}
		t.Member("usage", usage)
	})
	return appendEvent(body, "message_stop", func(*splice.Text) {})
}

// appendEvent appends an event of the type, with the members that write gives it.
func appendEvent(body []byte, name string, write func(t *splice.Text)) []byte {
	var t splice.Text
	t.Open('{')
	t.StringMember("type", name)
	write(&t)
	t.Close('}')
	return sse.AppendEvent(body, sse.Event{Name: name, Data: splice.OneLine(t.B)})
}

// streamed are the types of blocks whose content comes in deltas: its member, what stands for it at first, and the type
// and member of the delta.
var streamed = map[string]struct{ member, empty, delta, deltaMember string }{
	"text":     {"text", `""`, "text_delta", "text"},
	"thinking": {"thinking", `""`, "thinking_delta", "thinking"},
	"tool_use": {"input", `{}`, "input_json_delta", "partial_json"},
}

func appendBlock(body []byte, block responses.Object, i int) []byte {
	kind, _ := block.String("type")
	form, hasDelta := streamed[kind]
	content, hasContent := block.Get(form.member)
	shell := block
	if hasDelta && hasContent {
		shell.Set(form.member, jsontext.Value(form.empty))
	}
	body = appendEvent(body, "content_block_start", func(t *splice.Text) {
		t.Name("index")
		t.Int(int64(i))
		t.Name("content_block")
		t.B = shell.AppendTo(t.B)
	})
	if hasDelta && hasContent {
		body = appendEvent(body, "content_block_delta", func(t *splice.Text) {
			t.Name("index")
			t.Int(int64(i))
			t.Name("delta")
			t.Open('{')
			t.StringMember("type", form.delta)
			if kind == "tool_use" {
				t.StringMember(form.deltaMember, string(content))
			} else {
				t.Member(form.deltaMember, content)
			}
			t.Close('}')
		})
	}
	return appendEvent(body, "content_block_stop", func(t *splice.Text) {
		t.Name("index")
		t.Int(int64(i))
	})
}
