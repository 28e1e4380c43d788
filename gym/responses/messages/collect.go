package messages

import (
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
	"github.com/lensgo/lens/gym/responses/sse"
)

// Collect reads a stream to its end and returns the message that its events make up. Events and deltas of unknown types are
// passed over. An error that the endpoint reported in the stream is a [*responses.UpstreamError]; a stream that ends without
// a stop reason is [responses.ErrTruncated].
func Collect(s *sse.Reader) (Message, error) {
	g := gathered{blocks: map[int64]*gatheredBlock{}}
	for {
		o, name, err := responses.NextObject(s)
		switch {
		case errors.Is(err, io.EOF) && g.finished():
			return g.complete()
		case err != nil:
			return Message{}, responses.CollectError("message", err)
		case name == "error":
			return Message{}, responses.EventError(o)
		case name == "message_stop" || name == responses.Done:
			if !g.finished() {
				return Message{}, responses.CollectError("message", io.EOF)
			}
			return g.complete()
		}
		g.event(o, name)
	}
}

// gathered is a message so far.
type gathered struct {
	message responses.Object
	begun   bool
	blocks  map[int64]*gatheredBlock
}

// gatheredBlock is a block so far. Texts are joined as they are written, escapes and all.
type gatheredBlock struct {
	block     responses.Object
	text      []byte // inside of the quotes
	input     []byte
	citations []jsontext.Value
}

func (g *gathered) finished() bool {
	v, _ := g.message.Get("stop_reason")
	return g.begun && !responses.IsNull(v)
}

func (g *gathered) event(o responses.Object, name string) {
	index, _ := o.Int("index")
	switch name {
	case "message_start":
		g.message, g.begun = o.Sub("message")
	case "content_block_start":
		block, _ := o.Sub("content_block")
		g.blocks[index] = &gatheredBlock{block: block}
	case "content_block_delta":
		delta, _ := o.Sub("delta")
		if b := g.blocks[index]; b != nil {
			b.add(delta)
		}
	case "message_delta":
		delta, _ := o.Sub("delta")
		g.message.Merge(delta)
		if usage, ok := o.Sub("usage"); ok {
			total, _ := g.message.Sub("usage")
			for name, v := range usage.All() {
				if v.Kind() != 'n' || !total.Has(name) {
					total.Set(name, v)
				}
			}
			g.message.Set("usage", total.AppendTo(nil))
		}
	}
}

func (b *gatheredBlock) add(delta responses.Object) {
	kind, _ := delta.String("type")
	switch kind {
	case "text_delta", "thinking_delta":
		member := "text"
		if kind == "thinking_delta" {
			member = "thinking"
		}
		if v, _ := delta.Get(member); v.Kind() == '"' {
			b.text = append(b.text, v[1:len(v)-1]...)
		}
	case "input_json_delta":
		s, _ := delta.String("partial_json")
		b.input = append(b.input, s...)
	case "signature_delta":
		v, _ := delta.Get("signature")
		b.block.Set("signature", v)
	case "citations_delta":
		if v, ok := delta.Get("citation"); ok {
			b.citations = append(b.citations, v)
		}
	}
}

// complete puts everything together.
func (g *gathered) complete() (Message, error) {
	order := make([]int64, 0, len(g.blocks))
	for i := range g.blocks {
		order = append(order, i)
	}
	slices.Sort(order)
	var t splice.Text
	t.Open('[')
	for _, i := range order {
		t.Raw(g.blocks[i].complete())
	}
	t.Close(']')
	g.message.Set("content", t.B)
	return ParseMessage(g.message.AppendTo(nil))
}

// complete is the block with its content. Input that was cut short is no JSON, and stands as a text in the input's place.
func (b *gatheredBlock) complete() jsontext.Value {
	kind, _ := b.block.String("type")
	form := streamed[kind]
	if len(b.text) > 0 && (kind == "text" || kind == "thinking") {
		v, _ := b.block.Get(form.member)
		text := []byte{'"'}
		if v.Kind() == '"' {
			text = append(text, v[1:len(v)-1]...)
		}
		text = append(text, b.text...)
		b.block.Set(form.member, append(text, '"'))
	}
	if len(b.input) > 0 {
		b.block.Set("input", toolInput(string(b.input)))
	}
	if len(b.citations) > 0 {
		list, _ := b.block.Array("citations")
		b.block.Set("citations", joined(append(list, b.citations...)))
	}
	return b.block.AppendTo(nil)
}
