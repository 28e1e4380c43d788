package messages

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// noParameters is the schema of a tool that has none.
const noParameters = `{"type":"object","properties":{}}`

func unsupported(what string, loc ...any) error {
	return &responses.UnsupportedError{Loc: loc, What: what, Dialect: dialect}
}

func toResponses(kind string, loc ...any) error {
	return &responses.UnsupportedError{Loc: loc, What: fmt.Sprintf("a block of type %.64q", kind), Dialect: "Responses"}
}

// setToolParams converts the tools of a request of this dialect, and which of them the model may call.
func setToolParams(p *responses.CreateParams, r Request) error {
	if v, _ := r.Get("tools"); !responses.IsNull(v) {
		list, ok := responses.Elements(v)
		if !ok {
			return responses.FieldErrors{responses.WrongType("list", v, "body", "tools")}
		}
		var t splice.Text
		t.Open('[')
		for i, v := range list {
			if err := appendFunction(&t, v, i); err != nil {
				return err
			}
		}
		t.Close(']')
		if len(list) > 0 {
			p.Set("tools", t.B)
		}
	}
	v, _ := r.Get("tool_choice")
	if responses.IsNull(v) {
		return nil
	}
	choice, _ := responses.View(v)
	if alone, _ := choice.Bool("disable_parallel_tool_use"); alone {
		p.SetBool("parallel_tool_calls", false)
	}
	switch kind, _ := choice.String("type"); kind {
	case "auto", "none":
		p.SetString("tool_choice", kind)
	case "any":
		p.SetString("tool_choice", "required")
	case "tool":
		var f responses.Object
		f.SetString("type", "function")
		name, _ := choice.Get("name")
		f.Set("name", name)
		p.Set("tool_choice", f.AppendTo(nil))
	default:
		return &responses.UnsupportedError{Loc: []any{"body", "tool_choice"}, What: fmt.Sprintf("a choice of type %.64q", kind), Dialect: "Responses"}
	}
	return nil
}

// appendFunction converts a tool. Those that Anthropic runs itself have a type of their own and no counterpart.
func appendFunction(t *splice.Text, v jsontext.Value, i int) error {
	tool, _ := responses.View(v)
	if kind, _ := tool.String("type"); kind != "" && kind != "custom" {
		return &responses.UnsupportedError{Loc: []any{"body", "tools", i}, What: fmt.Sprintf("a tool of type %.64q", kind), Dialect: "Responses"}
	}
	name, ok := tool.Get("name")
	if !ok {
		return responses.FieldErrors{responses.Missing(v, "body", "tools", i, "name")}
	}
	t.Open('{')
	t.Literal(`"type":"function"`)
	t.Member("name", name)
	if description, ok := tool.Get("description"); ok {
		t.Member("description", description)
	}
	schema, _ := tool.Get("input_schema")
	if responses.IsNull(schema) {
		schema = jsontext.Value(noParameters)
	}
	t.Member("parameters", schema)
	t.Literal(`"strict":false`)
	for name, v := range tool.All() {
		switch name {
		case "type", "name", "description", "input_schema", "parameters", "strict", "cache_control":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

// setTools is the reverse of setToolParams.
func setTools(r *Request, p responses.CreateParams) error {
	tools, err := p.Tools()
	if err != nil {
		return err
	}
	var t splice.Text
	t.Open('[')
	for i, tool := range tools {
		if err := appendTool(&t, tool, i); err != nil {
			return err
		}
	}
	t.Close(']')
	if len(tools) > 0 {
		r.Set("tools", t.B)
	}
	v, _ := p.Get("tool_choice")
	choice, err := toolChoice(v)
	if err != nil {
		return err
	}
	if len(tools) == 0 {
		if kind, _ := choice.String("type"); kind == "any" || kind == "tool" {
			return responses.FieldErrors{{Type: "value_error", Loc: []any{"body", "tool_choice"},
				Msg: "Value error, this tool_choice requires at least one tool", Input: v}}
		}
		return nil // the endpoint refuses a choice without tools
	}
	if parallel, ok := p.Bool("parallel_tool_calls"); ok && !parallel {
		if choice.Len() == 0 {
			choice.SetString("type", "auto")
		}
		if kind, _ := choice.String("type"); kind != "none" {
			choice.SetBool("disable_parallel_tool_use", true)
		}
	}
	if choice.Len() > 0 {
		r.Set("tool_choice", choice.AppendTo(nil))
	}
	return nil
}

// toolChoice converts a tool_choice of the Responses dialect; the empty object for none.
func toolChoice(v jsontext.Value) (responses.Object, error) {
	var choice responses.Object
	if responses.IsNull(v) {
		return choice, nil
	}
	word, isWord := responses.Text(v)
	o, _ := responses.View(v)
	kind, _ := o.String("type")
	switch {
	case isWord && word == "required":
		choice.SetString("type", "any")
	case isWord && (word == "auto" || word == "none"):
		choice.SetString("type", word)
	case kind == "function":
		name, _ := o.Get("name")
		choice.SetString("type", "tool")
		choice.Set("name", name)
	default:
		return choice, unsupported(fmt.Sprintf("a choice %.64q", word+kind), "body", "tool_choice")
	}
	return choice, nil
}

func appendTool(t *splice.Text, tool responses.Tool, i int) error {
	if tool.Type() != "function" {
		return unsupported(fmt.Sprintf("a tool of type %.64q", tool.Type()), "body", "tools", i)
	}
	name, ok := tool.Get("name")
	if !ok {
		return responses.FieldErrors{responses.Missing(tool.AppendTo(nil), "body", "tools", i, "name")}
	}
	t.Open('{')
	t.Member("name", name)
	if v, _ := tool.Get("description"); !responses.IsNull(v) && len(v) > len(`""`) {
		t.Member("description", v)
	}
	schema, _ := tool.Get("parameters")
	if responses.IsNull(schema) {
		schema = jsontext.Value(noParameters)
	}
	t.Member("input_schema", schema)
	for name, v := range tool.All() {
		switch name {
		case "type", "name", "description", "parameters", "strict", "input_schema":
		default:
			if v.Kind() != 'n' {
				t.Member(name, v)
			}
		}
	}
	t.Close('}')
	return nil
}
