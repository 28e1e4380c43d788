package chat

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// parts are members that come piece by piece: texts and lists are joined, of other values the last one counts.
type parts struct {
	members ordered[string, piece]
}

type piece struct {
	kind jsontext.Kind
	b    []byte // inside of the quotes or brackets of what is joined, else the value
}

// add takes a piece of the member. Texts are joined as they are written, escapes and all.
func (p *parts) add(name string, v jsontext.Value) {
	p.members.at(name).add(v.Kind(), v)
}

func (m *piece) add(kind jsontext.Kind, v jsontext.Value) {
	switch {
	case kind == 'n':
		if m.kind == 0 {
			m.kind, m.b = kind, v
		}
	case kind == '"' && m.kind == kind:
		m.b = append(m.b, v[1:len(v)-1]...)
	case kind == '[' && m.kind == kind:
		if list, _ := responses.Elements(v); len(list) > 0 {
			if len(m.b) > 0 {
				m.b = append(m.b, ',')
			}
			m.b = append(m.b, joined(list)[1:]...)
			m.b = m.b[:len(m.b)-1]
		}
	case kind == '"':
		m.kind, m.b = kind, append([]byte(nil), v[1:len(v)-1]...)
	case kind == '[':
		m.kind, m.b = kind, nil
		m.add(kind, v)
	default:
		m.kind, m.b = kind, v
	}
}

func (m *piece) write(t *splice.Text) {
	switch m.kind {
	case '"':
		t.B = append(t.B, '"')
		t.B = append(t.B, m.b...)
		t.B = append(t.B, '"')
	case '[':
		t.B = append(t.B, '[')
		t.B = append(t.B, m.b...)
		t.B = append(t.B, ']')
	default:
		t.Raw(m.b)
	}
}

func (p *parts) write(t *splice.Text) {
	for i := range p.members.items {
		m := &p.members.items[i]
		t.Name(m.key)
		m.value.write(t)
	}
}

// has tells whether there is such a member that is not null.
func (p *parts) has(name string) bool {
	m := p.members.find(name)
	return m != nil && m.kind != 'n'
}

// gathered is a completion so far.
type gathered struct {
	head    ordered[string, jsontext.Value]
	choices ordered[int64, gatheredChoice] // by their index, in the order in which they began
}

type gatheredChoice struct {
	message  parts
	calls    ordered[int64, gatheredCall] // by their index
	logprobs parts
	finish   jsontext.Value
	more     parts
}

type gatheredCall struct {
	id, kind jsontext.Value
	function parts
	more     parts
}

// finished reports whether there is a choice and each has its finish reason.
func (g *gathered) finished() bool {
	for i := range g.choices.items {
		if g.choices.items[i].value.finish == nil {
			return false
		}
	}
	return len(g.choices.items) > 0
}

func (g *gathered) chunk(o responses.Object) error {
	for name, v := range o.All() {
		switch {
		case name == "choices":
			list, _ := responses.Elements(v)
			for _, v := range list {
				if err := g.choice(v); err != nil {
					return err
				}
			}
		case v.Kind() == 'n' || name == "object":
		case name == "usage" || g.head.find(name) == nil:
			*g.head.at(name) = v
		}
	}
	return nil
}

func (g *gathered) choice(v jsontext.Value) error {
	o, ok := responses.View(v)
	if !ok {
		return errors.New("a choice in a chunk is no object")
	}
	index, _ := o.Int("index")
	c := g.choices.at(index)
	for name, v := range o.All() {
		switch name {
		case "index":
		case "delta", "message": // the second is what some send at the end, and answers that were not streamed
			delta, _ := responses.View(v)
			if err := c.delta(delta); err != nil {
				return err
			}
		case "finish_reason":
			if v.Kind() == '"' {
				c.finish = v
			}
		case "logprobs":
			probs, _ := responses.View(v)
			for name, v := range probs.All() {
				c.logprobs.add(name, v)
			}
		default:
			c.more.add(name, v)
		}
	}
	return nil
}

func (c *gatheredChoice) delta(delta responses.Object) error {
	for name, v := range delta.All() {
		switch {
		case name == "role":
			if v.Kind() == '"' && !c.message.has("role") {
				c.message.add(name, v)
			}
		case name != "tool_calls":
			c.message.add(name, v)
		case v.Kind() == '[':
			list, _ := responses.Elements(v)
			for i, v := range list {
				call, ok := responses.View(v)
				if !ok {
					return errors.New("a call in a chunk is no object")
				}
				c.call(call, i)
			}
		}
	}
	return nil
}

// call adds a piece of a call. Without an index, a piece with an id begins a call, and one without belongs to the last.
func (c *gatheredChoice) call(o responses.Object, i int) {
	id, _ := o.Get("id")
	if !hasText(id) {
		id = nil
	}
	index, ok := o.Int("index")
	if !ok {
		index = int64(i)
		if n := len(c.calls.items); id != nil {
			index = int64(n)
		} else if n > 0 {
			index = c.calls.items[n-1].key
		}
	}
	call := c.calls.at(index)
	if call.id == nil {
		call.id = id
	}
	for name, v := range o.All() {
		switch name {
		case "index", "id":
		case "type":
			if call.kind == nil && hasText(v) {
				call.kind = v
			}
		case "function":
			f, _ := responses.View(v)
			call.add(f)
		default:
			call.more.add(name, v)
		}
	}
}

// add takes a piece of the function. Its name comes once; some repeat it in each piece.
func (call *gatheredCall) add(f responses.Object) {
	for name, v := range f.All() {
		if name == "name" && (call.function.has(name) || !hasText(v)) {
			continue
		}
		call.function.add(name, v)
	}
}

// completion puts everything together.
func (g *gathered) completion() (Completion, error) {
	var t splice.Text
	t.Open('{')
	t.Literal(`"object":"chat.completion"`)
	for _, m := range g.head.items {
		t.Member(m.key, m.value)
	}
	t.Name("choices")
	t.Open('[')
	for i := range g.choices.items {
		c := &g.choices.items[i]
		c.value.write(&t, c.key)
	}
	t.Close(']')
	t.Close('}')
	c, err := ParseCompletion(t.B)
	if err != nil {
		return Completion{}, fmt.Errorf("cannot collect completion: %w", err)
	}
	return c, nil
}

func (c *gatheredChoice) write(t *splice.Text, index int64) {
	t.Open('{')
	t.Name("index")
	t.Int(index)
	t.Name("message")
	t.Open('{')
	if !c.message.has("role") {
		t.Literal(`"role":"assistant"`)
	}
	c.message.write(t)
	if c.message.members.find("content") == nil {
		t.Literal(`"content":null`)
	}
	if len(c.calls.items) > 0 {
		t.Name("tool_calls")
		t.Open('[')
		for i := range c.calls.items {
			c.calls.items[i].value.write(t)
		}
		t.Close(']')
	}
	t.Close('}')
	if len(c.logprobs.members.items) > 0 {
		t.Name("logprobs")
		t.Open('{')
		c.logprobs.write(t)
		t.Close('}')
	}
	t.Member("finish_reason", c.finish)
	c.more.write(t)
	t.Close('}')
}

func (call *gatheredCall) write(t *splice.Text) {
	t.Open('{')
	if call.id != nil {
		t.Member("id", call.id)
	}
	if call.kind == nil {
		call.kind = jsontext.Value(`"function"`)
	}
	t.Member("type", call.kind)
	t.Name("function")
	t.Open('{')
	call.function.write(t)
	t.Close('}')
	call.more.write(t)
	t.Close('}')
}
