package responses

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// CreateParams is the request body of /v1/responses: what the model is to answer, and how. Members keep the difference
// between absent and null.
type CreateParams struct{ Object }

// ParseCreateParams checks a request body and returns a view of it. The error is a [FieldErrors] that lists everything:
// a body that is no JSON object, top-level members that the API does not have, an input that is missing or neither a
// string nor a list of objects, and members of a type that can never be right. Inside items only the tokens of a turn are
// looked at, which must be all there or not at all.
func ParseCreateParams(b jsontext.Value) (CreateParams, error) {
	o, err := Body(b)
	if err != nil {
		return CreateParams{}, err
	}
	p := CreateParams{o}
	if bad := p.check(); len(bad) > 0 {
		return CreateParams{}, bad
	}
	return p, nil
}

// The kinds that a create param may have, beside null, as jsontext names them. Python turns text into numbers and
// booleans where it can, so those accept any scalar and the model's own server judges.
const (
	anyKind    = `"0tf{[`
	scalarKind = `"0tf`
	stringKind = `"`
	listKind   = `[`
	objectKind = `{`
)

var createParams = map[string]string{
	"background":           scalarKind,
	"include":              listKind,
	"input":                stringKind + listKind,
	"instructions":         stringKind,
	"max_output_tokens":    scalarKind,
	"max_tool_calls":       scalarKind,
	"metadata":             objectKind,
	"model":                stringKind,
	"parallel_tool_calls":  scalarKind,
	"previous_response_id": stringKind,
	"prompt":               objectKind,
	"reasoning":            objectKind,
	"service_tier":         stringKind,
	"store":                scalarKind,
	"stream":               anyKind,
	"temperature":          scalarKind,
	"text":                 objectKind,
	"tool_choice":          stringKind + objectKind,
	"tools":                listKind,
	"top_logprobs":         scalarKind,
	"top_p":                scalarKind,
	"truncation":           stringKind,
	"user":                 stringKind,

	// Newer Python servers and agents write these as well, null where a row has none.
	"context_management":     listKind,
	"conversation":           stringKind + objectKind,
	"moderation":             objectKind,
	"prompt_cache_key":       stringKind,
	"prompt_cache_retention": stringKind,
	"safety_identifier":      stringKind,
	"stream_options":         objectKind,
}

// closedParams are the params that take one of a few words.
var closedParams = map[string][]string{
	"service_tier": {"auto", "default", "flex", "scale", "priority"},
	"truncation":   {"auto", "disabled"},
}

func (p CreateParams) check() FieldErrors {
	var bad FieldErrors
	for key, v := range p.pairs() {
		kinds, known := createParams[string(key[1:len(key)-1])]
		if !known {
			name := unquote(key)
			if kinds, known = createParams[name]; !known {
				bad = append(bad, Detail{Type: "extra_forbidden", Loc: []any{"body", name},
					Msg: "Extra inputs are not permitted", Input: v})
				continue
			}
		}
		bad = append(bad, checkParam(unquote(key), kinds, v)...)
	}
	if !p.Has("input") {
		bad = append(bad, Missing(p.AppendTo(nil), "body", "input"))
	}
	return bad
}

func checkParam(name, kinds string, v jsontext.Value) FieldErrors {
	if name == "input" {
		return checkInput(v)
	}
	kind := v.Kind()
	if kind == 'n' {
		return nil
	}
	if name == "stream" && kind != 'f' {
		return FieldErrors{literal(v, "False", "body", name)}
	}
	if !slices.Contains([]byte(kinds), byte(kind)) {
		return FieldErrors{WrongType(wanted(name, kinds), v, "body", name)}
	}
	if words := closedParams[name]; words != nil && !slices.Contains(words, unquote(v)) {
		return FieldErrors{literal(v, quotedList(words), "body", name)}
	}
	return nil
}

// wanted is the kind to name in an error.
func wanted(name, kinds string) string {
	switch kinds {
	case listKind:
		return "list"
	case objectKind:
		return "object"
	case scalarKind:
		switch name {
		case "background", "parallel_tool_calls", "store":
			return "boolean"
		case "temperature", "top_p":
			return "number"
		}
		return "integer"
	}
	return "string"
}

func literal(v jsontext.Value, expected string, loc ...any) Detail {
	return Detail{Type: "literal_error", Loc: loc, Msg: "Input should be " + expected, Input: v,
		Ctx: map[string]string{"expected": expected}}
}

// quotedList writes words as 'a', 'b' or 'c'.
func quotedList(words []string) string {
	var s string
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " or "
		default:
			s += ", "
		}
		s += "'" + w + "'"
	}
	return s
}

func checkInput(v jsontext.Value) FieldErrors {
	switch v.Kind() {
	case '"':
		return nil
	case '[':
		_, bad := checkItems(v, "body", "input")
		return append(bad, checkTokens(v, "body", "input")...)
	}
	return FieldErrors{
		WrongType("string", v, "body", "input", "str"),
		WrongType("list", v, "body", "input", "list"),
	}
}

func parseInput(v jsontext.Value) ([]Item, FieldErrors) {
	switch v.Kind() {
	case '"':
		return []Item{UserMessage(unquote(trim(v)))}, nil
	case '[':
		return parseItems(v, "body", "input")
	}
	return nil, checkInput(v)
}

// Input returns the conversation; a string is one user message. The error is a [FieldErrors]; after ParseCreateParams
// there is none.
func (p CreateParams) Input() ([]Item, error) {
	v, ok := p.Get("input")
	if !ok {
		return nil, FieldErrors{Missing(p.AppendTo(nil), "body", "input")}
	}
	items, bad := parseInput(v)
	if len(bad) > 0 {
		return nil, bad
	}
	return items, nil
}

// SetInput replaces the conversation.
func (p *CreateParams) SetInput(items []Item) { p.Set("input", joinItems(items)) }

// Tools returns the tools that the model may call; none when the member is absent or null. The error is a [FieldErrors].
func (p CreateParams) Tools() ([]Tool, error) {
	v, ok := p.Get("tools")
	if !ok || v.Kind() == 'n' {
		return nil, nil
	}
	if v.Kind() != '[' {
		return nil, FieldErrors{WrongType("list", v, "body", "tools")}
	}
	items, bad := parseItems(v, "body", "tools")
	if len(bad) > 0 {
		return nil, bad
	}
	tools := make([]Tool, len(items))
	for i, it := range items {
		tools[i] = Tool(it)
	}
	return tools, nil
}
