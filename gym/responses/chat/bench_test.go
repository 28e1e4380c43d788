package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/messages"
)

// conversation is a request of the Responses dialect with the number of messages: turns of a user, thought, said and called,
// the answer of a tool.
func conversation(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"m","temperature":0.7,"tools":[{"type":"function","name":"t","parameters":{"type":"object"}}],"input":[`)
	text := strings.Repeat("It is cold here. ", 12)
	for i := range n / 4 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role":"user","content":"%s"},{"type":"reasoning","id":"rs_%d","summary":[{"type":"summary_text","text":"%s"}]},`+
			`{"type":"message","id":"msg_%d","role":"assistant","status":"completed","content":[{"type":"output_text","text":"%s","annotations":[]}]},`+
			`{"type":"function_call","call_id":"c%d","name":"t","arguments":"{\"city\":\"San Francisco\"}"},{"type":"function_call_output","call_id":"c%d","output":"%s"}`,
			text, i, text, i, text, i, i, text)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// BenchmarkConversation is what a model server does to a request of 256 messages before it goes on: pass it on in its own
// dialect with another model's name, or convert it.
func BenchmarkConversation(b *testing.B) {
	body := conversation(256)
	p, err := responses.ParseCreateParams(body)
	if err != nil {
		b.Fatal(err)
	}
	inChat, err := chat.FromParams(p, chat.Options{})
	if err != nil {
		b.Fatal(err)
	}
	inMessages, err := messages.FromParams(p, messages.Options{})
	if err != nil {
		b.Fatal(err)
	}
	chatBody, messagesBody := inChat.AppendTo(nil), inMessages.AppendTo(nil)
	for _, bm := range []struct {
		name string
		body []byte
		f    func(body []byte) ([]byte, error)
	}{
		{"PassThrough/Responses", body, func(body []byte) ([]byte, error) {
			p, err := responses.ParseCreateParams(body)
			p.SetString("model", "n")
			return p.AppendTo(nil), err
		}},
		{"PassThrough/Chat", chatBody, func(body []byte) ([]byte, error) {
			r, err := chat.ParseRequest(body)
			if err != nil {
				return nil, err
			}
			r, err = chat.Options{Model: "n"}.Prepare(r)
			return r.AppendTo(nil), err
		}},
		{"Convert/ResponsesToChat", body, func(body []byte) ([]byte, error) {
			p, err := responses.ParseCreateParams(body)
			if err != nil {
				return nil, err
			}
			r, err := chat.FromParams(p, chat.Options{Model: "n"})
			return r.AppendTo(nil), err
		}},
		{"Convert/ChatToResponses", chatBody, func(body []byte) ([]byte, error) {
			r, err := chat.ParseRequest(body)
			if err != nil {
				return nil, err
			}
			p, err := chat.ToParams(r)
			return p.AppendTo(nil), err
		}},
		{"Convert/ResponsesToMessages", body, func(body []byte) ([]byte, error) {
			p, err := responses.ParseCreateParams(body)
			if err != nil {
				return nil, err
			}
			r, err := messages.FromParams(p, messages.Options{Model: "n"})
			return r.AppendTo(nil), err
		}},
		{"Convert/MessagesToResponses", messagesBody, func(body []byte) ([]byte, error) {
			r, err := messages.ParseRequest(body)
			if err != nil {
				return nil, err
			}
			p, err := messages.ToParams(r)
			return p.AppendTo(nil), err
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bm.f(bm.body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
