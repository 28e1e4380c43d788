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
	members []piece
}

type piece struct {
	name string
	kind jsontext.Kind
	b    []byte // inside of the quotes or brackets of what is joined, else the value
}

// add takes a piece of the member. Texts are joined as they are written, escapes and all.
func (p *parts) add(name string, v jsontext.Value) {
	kind := v.Kind()
	for i := range p.members {
		if m := &p.members[i]; m.name == name {
			m.add(kind, v)
			return
		}
	}
	m := piece{name: name}
	m.add(kind, v)
	p.members = append(p.members, m)
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
	t.Name(m.name)
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
	for i := range p.members {
		p.members[i].write(t)
	}
}

func (p *parts) has(name string) bool {
	for i := range p.members {
		if p.members[i].name == name && p.members[i].kind != 'n' {
			return true
		}
	}
	return false
}

// gathered is a completion so far.
type gathered struct {
	head    responses.Object
	choices []*gatheredChoice
}

type gatheredChoice struct {
	index    int64
	message  parts
	calls    []*gatheredCall
	logprobs parts
	finish   jsontext.Value
	more     parts
}

type gatheredCall struct {
	index    int64
	id, kind jsontext.Value
	function parts
	more     parts
}

// finished reports whether there is a choice and each has its finish reason.
func (g *gathered) finished() bool {
	for _, c := range g.choices {
		if c.finish == nil {
			return false
		}
	}
	return len(g.choices) > 0
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
		case name == "usage" || !g.head.Has(name):
			g.head.Set(name, v)
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
	c := g.at(index)
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

// at returns the choice with the index. Choices come in the order in which they began.
func (g *gathered) at(index int64) *gatheredChoice {
	for _, c := range g.choices {
		if c.index == index {
			return c
		}
	}
	c := &gatheredChoice{index: index}
	g.choices = append(g.choices, c)
	return c
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
		if n := len(c.calls); id != nil {
			index = int64(n)
		} else if n > 0 {
			index = c.calls[n-1].index
		}
	}
	call := c.callAt(index)
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

func (c *gatheredChoice) callAt(index int64) *gatheredCall {
	for _, call := range c.calls {
		if call.index == index {
			return call
		}
	}
	call := &gatheredCall{index: index}
	c.calls = append(c.calls, call)
	return call
}

// completion puts everything together.
func (g *gathered) completion() (Completion, error) {
	var t splice.Text
	t.Open('{')
	t.Literal(`"object":"chat.completion"`)
	for name, v := range g.head.All() {
		t.Member(name, v)
	}
	t.Name("choices")
	t.Open('[')
	for _, c := range g.choices {
		c.write(&t)
	}
	t.Close(']')
	t.Close('}')
	c, err := ParseCompletion(t.B)
	if err != nil {
		return Completion{}, fmt.Errorf("cannot collect completion: %w", err)
	}
	return c, nil
}

func (c *gatheredChoice) write(t *splice.Text) {
	t.Open('{')
	t.Name("index")
	t.Int(c.index)
	t.Name("message")
	t.Open('{')
	if !c.message.has("role") {
		t.Literal(`"role":"assistant"`)
	}
	c.message.write(t)
	if !c.message.known("content") {
		t.Literal(`"content":null`)
	}
	if len(c.calls) > 0 {
		t.Name("tool_calls")
		t.Open('[')
		for _, call := range c.calls {
			call.write(t)
		}
		t.Close(']')
	}
	t.Close('}')
	if len(c.logprobs.members) > 0 {
		t.Name("logprobs")
		t.Open('{')
		c.logprobs.write(t)
		t.Close('}')
	}
	t.Member("finish_reason", c.finish)
	c.more.write(t)
	t.Close('}')
}

func (p *parts) known(name string) bool {
	for i := range p.members {
		if p.members[i].name == name {
			return true
		}
	}
	return false
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
