package responses

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Detail is one thing that is wrong with a request body, as FastAPI reports it.
type Detail struct {
	// Type is the kind of mistake: missing, extra_forbidden, json_invalid, string_type, ...
	Type string `json:"type"`
	// Loc is the place: "body", then names and indexes.
	Loc []any `json:"loc"`
	// Msg is a sentence for people.
	Msg string `json:"msg"`
	// Input is the value that was wrong; for a missing member it is the object that lacks it.
	Input jsontext.Value `json:"input"`
	// Ctx has more about some types, such as the expected value.
	Ctx map[string]string `json:"ctx,omitzero"`
}

// FieldErrors is everything that is wrong with a request body. As JSON it is the body of a 422 answer:
// {"detail":[{"type":"missing","loc":["body","input"],"msg":"Field required","input":{}}]}.
type FieldErrors []Detail

// Error lists places and messages; it never holds the input.
func (e FieldErrors) Error() string {
	var b strings.Builder
	b.WriteString("cannot accept body")
	for i, d := range e {
		if i > 0 {
			b.WriteByte(';')
		} else {
			b.WriteByte(':')
		}
		b.WriteByte(' ')
		for j, p := range d.Loc {
			if j > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, p)
		}
		b.WriteString(": ")
		b.WriteString(d.Msg)
		if text := d.Ctx["error"]; text != "" {
			b.WriteString(" (" + text + ")")
		}
	}
	return b.String()
}

// Under returns the same details for a body that holds the checked value below the given names:
// Under("responses_create_params") turns body.input into body.responses_create_params.input.
func (e FieldErrors) Under(names ...string) FieldErrors {
	out := make(FieldErrors, len(e))
	for i, d := range e {
		loc := make([]any, 0, len(d.Loc)+len(names))
		loc = append(loc, "body")
		for _, n := range names {
			loc = append(loc, n)
		}
		if len(d.Loc) > 0 {
			loc = append(loc, d.Loc[1:]...)
		}
		d.Loc = loc
		out[i] = d
	}
	return out
}

// MarshalJSONTo writes {"detail":[...]}.
func (e FieldErrors) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, struct {
		Detail []Detail `json:"detail"`
	}{e})
}

// Missing is the detail of a member that must be there and is not; parent is the object that lacks it.
func Missing(parent jsontext.Value, loc ...any) Detail {
	return Detail{Type: "missing", Loc: loc, Msg: "Field required", Input: parent}
}

// WrongType is the detail of a value that is not of the kind wanted: string, integer, number, boolean, list, object, or
// model, which is an object whose members are known.
func WrongType(want string, v jsontext.Value, loc ...any) Detail {
	switch want {
	case "string":
		return Detail{Type: "string_type", Loc: loc, Msg: "Input should be a valid string", Input: v}
	case "integer":
		return Detail{Type: "int_type", Loc: loc, Msg: "Input should be a valid integer", Input: v}
	case "number":
		return Detail{Type: "float_type", Loc: loc, Msg: "Input should be a valid number", Input: v}
	case "boolean":
		return Detail{Type: "bool_type", Loc: loc, Msg: "Input should be a valid boolean", Input: v}
	case "list":
		return Detail{Type: "list_type", Loc: loc, Msg: "Input should be a valid list", Input: v}
	case "model":
		return Detail{Type: "model_attributes_type", Loc: loc, Msg: "Input should be a valid dictionary or object to extract fields from", Input: v}
	}
	return notObject(v, loc...)
}

func notObject(v jsontext.Value, loc ...any) Detail {
	return Detail{Type: "dict_type", Loc: loc, Msg: "Input should be a valid dictionary", Input: v}
}

// Body parses a request body that must be one JSON object; the error is a FieldErrors.
func Body(b []byte) (Object, error) {
	if bad := CheckBody(b); bad != nil {
		return Object{}, bad
	}
	v := trim(b)
	if v[0] != '{' {
		return Object{}, FieldErrors{WrongType("model", v, "body")}
	}
	return Object{raw: v, members: split(v)}, nil
}

// CheckBody reports what keeps a request body from being one JSON value: there is none, or it is broken at the offset that
// the place ends with. nil says that it is one.
func CheckBody(b []byte) FieldErrors {
	err := validate(b)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errEmpty):
		return FieldErrors{Missing(jsontext.Value("null"), "body")}
	}
	var offset int64
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = syntax.ByteOffset
	}
	return FieldErrors{{
		Type: "json_invalid", Loc: []any{"body", offset}, Msg: "JSON decode error", Input: jsontext.Value("{}"),
		Ctx: map[string]string{"error": strings.TrimPrefix(err.Error(), "jsontext: ")},
	}}
}
