package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/printable"
)

// page prints; it remembers the first error.
type page struct {
	w    io.Writer
	most int
	err  error
}

func (p *page) linef(format string, args ...any) { p.text(fmt.Sprintf(format, args...) + "\n") }

func (p *page) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

func (p *page) heading(name string) { p.linef("\n== %s", name) }

// said prints one part of a conversation.
func (p *page) said(who, text string) {
	p.linef("\n[%s]", printable.Line(who))
	if text != "" {
		p.text(block(cut(text, p.most)))
	}
}

// input prints what was asked.
func (p *page) input(params responses.Object) {
	if params.Len() == 0 {
		return
	}
	p.heading("input")
	if text, ok := params.String("instructions"); ok {
		p.said("instructions", text)
	}
	if text, ok := params.String("input"); ok {
		p.said("user", text)
	}
	p.items(params, "input")
	if tools, ok := params.Array("tools"); ok && len(tools) > 0 {
		p.said("tools", toolNames(tools))
	}
}

func toolNames(tools []jsontext.Value) string {
	names := make([]string, 0, len(tools))
	for _, v := range tools {
		tool, err := responses.ParseObject(v)
		if err != nil {
			continue
		}
		name, _ := tool.String("name")
		kind, _ := tool.String("type")
		names = append(names, cmp.Or(name, kind, "without a name"))
	}
	return strings.Join(names, "\n")
}

// output prints what was said and called.
func (p *page) output(response responses.Object) {
	p.items(response, "output")
	if reason, ok := response.Sub("incomplete_details"); ok {
		text, _ := reason.String("reason")
		p.said("cut short", text)
	}
	if failure, ok := response.Sub("error"); ok {
		text, _ := failure.String("message")
		p.said("error", cmp.Or(text, string(failure.AppendTo(nil))))
	}
}

func (p *page) items(o responses.Object, name string) {
	list, _ := o.Array(name)
	for _, v := range list {
		item, err := responses.ParseItem(v)
		if err != nil {
			p.said("unreadable", string(v))
			continue
		}
		p.item(item)
	}
}

func (p *page) item(it responses.Item) {
	switch t := it.Type(); t {
	case responses.TypeMessage:
		p.said(cmp.Or(it.Role(), "message"), content(it.Object, "content"))
	case responses.TypeFunctionCall:
		p.said("call "+it.Name()+" "+it.CallID(), it.Arguments())
	case responses.TypeFunctionCallOutput:
		p.said("output of "+it.CallID(), content(it.Object, "output"))
	case responses.TypeReasoning:
		p.said("reasoning", strings.Trim(content(it.Object, "summary")+"\n"+content(it.Object, "content"), "\n"))
	default:
		p.said(cmp.Or(t, "item without a type"), string(it.AppendTo(nil)))
	}
}

// content is a member that is a text or a list of parts.
func content(o responses.Object, name string) string {
	if text, ok := o.String(name); ok {
		return text
	}
	parts, ok := o.Array(name)
	if !ok {
		v, _ := o.Get(name)
		if v.Kind() == 'n' {
			return ""
		}
		return string(v)
	}
	texts := make([]string, 0, len(parts))
	for _, v := range parts {
		part, err := responses.ParseObject(v)
		if err != nil {
			texts = append(texts, string(v))
			continue
		}
		texts = append(texts, partText(part))
	}
	return strings.Join(texts, "\n")
}

func partText(part responses.Object) string {
	if text, ok := part.String("text"); ok {
		return text
	}
	if text, ok := part.String("refusal"); ok {
		return "(refusal) " + text
	}
	kind, _ := part.String("type")
	return fmt.Sprintf("(%s of %d bytes)", cmp.Or(kind, "a part"), len(part.AppendTo(nil)))
}

// members prints what the environment said of the result.
func (p *page) members(row responses.Object) {
	shown := false
	for name, v := range row.All() {
		if strings.HasPrefix(name, "_ng_") || name == keyAgent || name == keyReward || slices.Contains(heavy, name) {
			continue
		}
		if !shown {
			p.heading("verdict")
			shown = true
		}
		text := string(v)
		if s, ok := row.String(name); ok {
			text = s
		}
		if strings.ContainsAny(text, "\n") || len(text) > 100 {
			p.said(name, text)
			continue
		}
		p.linef("%s: %s", printable.Line(name), printable.Line(text))
	}
}
