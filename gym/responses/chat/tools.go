package chat

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// setTools sets the tools and what goes with them.
func (r *Request) setTools(p responses.CreateParams) error {
	tools, err := p.Tools()
	if err != nil {
		return err
	}
	choice, _ := p.Get("tool_choice")
	if len(tools) == 0 {
		r.Delete("parallel_tool_calls") // endpoints refuse it without tools
		if s, ok := responses.Text(choice); ok && (s == "auto" || s == "none") || responses.IsNull(choice) {
			return nil
		}
		return responses.FieldErrors{{Type: "value_error", Loc: []any{"body", "tool_choice"},
			Msg: "Value error, this tool_choice requires at least one tool", Input: choice}}
	}
	var t splice.Text
	t.Open('[')
	for i, tool := range tools {
		if err := appendTool(&t, tool, i); err != nil {
			return err
		}
	}
	t.Close(']')
	r.Set("tools", t.B)
	if responses.IsNull(choice) {
		return nil
	}
	converted, err := wrappedChoice(choice)
	if err != nil {
		return err
	}
	r.Set("tool_choice", converted)
	return nil
}

// appendTool wraps a function; null members and strict are left out.
func appendTool(t *splice.Text, tool responses.Tool, i int) error {
	if tool.Type() != "function" {
		return unsupported(fmt.Sprintf("a tool of type %.64q", tool.Type()), "body", "tools", i)
	}
	if !tool.Has("name") {
		return responses.FieldErrors{responses.Missing(tool.AppendTo(nil), "body", "tools", i, "name")}
	}
	t.Open('{')
	t.Literal(`"type":"function","function":{`)
	for name, v := range tool.All() {
		if name != "type" && name != "strict" && v.Kind() != 'n' {
			t.Member(name, v)
		}
	}
	t.Close('}')
	t.Close('}')
	return nil
}

func unsupported(what string, loc ...any) error {
	return &responses.UnsupportedError{Loc: loc, What: what, Dialect: dialect}
}

// wrappedChoice converts a tool_choice of the Responses dialect, which is flat.
func wrappedChoice(v jsontext.Value) (jsontext.Value, error) {
	o, ok := responses.View(v)
	if !ok {
		return v, nil
	}
	kind, _ := o.String("type")
	switch kind {
	case "function":
		return wrappedReference(o), nil
	case "allowed_tools":
		tools, _ := o.Array("tools")
		for i, v := range tools {
			if tool, ok := responses.View(v); ok {
				tools[i] = wrappedReference(tool)
			}
		}
		o.Delete("type")
		o.Set("tools", joined(tools))
		var outer responses.Object
		outer.SetString("type", kind)
		outer.Set(kind, o.AppendTo(nil))
		return outer.AppendTo(nil), nil
	}
	return nil, unsupported(fmt.Sprintf("a choice of type %.64q", kind), "body", "tool_choice")
}

// wrappedReference turns {"type":"function","name":"f"} into {"type":"function","function":{"name":"f"}}.
func wrappedReference(o responses.Object) jsontext.Value {
	kind, _ := o.String("type")
	o.Delete("type")
	var outer responses.Object
	outer.SetString("type", kind)
	outer.Set(kind, o.AppendTo(nil))
	return outer.AppendTo(nil)
}

// flatReference is the reverse of wrappedReference.
func flatReference(o responses.Object) jsontext.Value {
	kind, _ := o.String("type")
	inner, _ := o.Sub(kind)
	o.Delete(kind)
	inner.Delete("type")
	o.Merge(inner)
	return o.AppendTo(nil)
}

// setToolParams converts the tools of a request of this dialect.
func setToolParams(p *responses.CreateParams, r Request) error {
	if v, ok := r.Get("tools"); ok && v.Kind() != 'n' {
		tools, ok := responses.Elements(v)
		if !ok {
			return responses.FieldErrors{responses.WrongType("list", v, "body", "tools")}
		}
		for i, v := range tools {
			tool, _ := responses.View(v)
			if kind, _ := tool.String("type"); kind != "function" {
				return toResponses(fmt.Sprintf("a tool of type %.64q", kind), "body", "tools", i)
			}
			if _, ok := tool.Sub("function"); !ok {
				return responses.FieldErrors{responses.Missing(v, "body", "tools", i, "function")}
			}
			tools[i] = flatReference(tool)
		}
		p.Set("tools", joined(tools))
	}
	choice, _ := r.Get("tool_choice")
	if responses.IsNull(choice) {
		return nil
	}
	converted, err := flatChoice(choice)
	if err != nil {
		return err
	}
	p.Set("tool_choice", converted)
	return nil
}

func toResponses(what string, loc ...any) error {
	return &responses.UnsupportedError{Loc: loc, What: what, Dialect: "Responses"}
}

// flatChoice is the reverse of wrappedChoice.
func flatChoice(v jsontext.Value) (jsontext.Value, error) {
	o, ok := responses.View(v)
	if !ok {
		return v, nil
	}
	kind, _ := o.String("type")
	switch kind {
	case "function":
		return flatReference(o), nil
	case "allowed_tools":
		inner, _ := o.Sub(kind)
		tools, _ := inner.Array("tools")
		for i, v := range tools {
			if tool, ok := responses.View(v); ok {
				tools[i] = flatReference(tool)
			}
		}
		inner.Set("tools", joined(tools))
		o.Delete(kind)
		inner.Delete("type")
		o.Merge(inner)
		return o.AppendTo(nil), nil
	}
	return nil, toResponses(fmt.Sprintf("a choice of type %.64q", kind), "body", "tool_choice")
}
