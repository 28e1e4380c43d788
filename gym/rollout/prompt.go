package rollout

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
)

// Prompt makes the input of rows that have none: one message of a user and, before it, one of the system if there is a template for it.
//
// A template holds {name} for the member of that name of the row, {name.inner} and {name[0]} for what is inside of it, and {{ and }} for
// braces. A text stands as it is, everything else as JSON.
type Prompt struct {
	user, system []piece // system nil: no such message
	path         string
	text         string // of the file
}

// piece is a text, or the path of a member in its place.
type piece struct {
	text string
	path []string
}

// ReadPrompt reads a YAML file with user and, optionally, system.
func ReadPrompt(path string) (*Prompt, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the prompt: %w", plainPathError(err))
	}
	var doc struct {
		User   *string `json:"user"`
		System *string `json:"system"`
	}
	if err := config.DecodeYAML(path, b, &doc); err != nil {
		return nil, fmt.Errorf("cannot read the prompt, a mapping of user and system, both texts: %w", err)
	}
	if doc.User == nil {
		return nil, fmt.Errorf("cannot read the prompt %s: it has no user, which is the template of the user's message", path)
	}
	p := &Prompt{path: path, text: string(b)}
	if p.user, err = pieces(*doc.User); err != nil {
		return nil, fmt.Errorf("cannot read the prompt %s: user: %w", path, err)
	}
	if doc.System == nil {
		return p, nil
	}
	if p.system, err = pieces(*doc.System); err != nil {
		return nil, fmt.Errorf("cannot read the prompt %s: system: %w", path, err)
	}
	if p.system == nil {
		p.system = []piece{}
	}
	return p, nil
}

// pieces takes a template apart.
func pieces(template string) (out []piece, err error) {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, piece{text: text.String()})
			text.Reset()
		}
	}
	for rest := template; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			text.WriteString(rest)
			break
		}
		text.WriteString(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		if rest != "" && rest[0] == brace {
			text.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		if brace == '}' {
			return nil, errors.New("a } stands alone; write }} for a brace")
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return nil, fmt.Errorf("the { before %q has no }; write {{ for a brace", clip(rest))
		}
		path, err := memberPath(name)
		if err != nil {
			return nil, err
		}
		flush()
		out = append(out, piece{path: path})
		rest = after
	}
	flush()
	return out, nil
}

// memberPath reads a, a.b and a[0].
func memberPath(name string) ([]string, error) {
	if strings.ContainsAny(name, "{!:") {
		return nil, fmt.Errorf("{%s} is no field of a row: conversions and formats are not understood, and {{ is a brace", clip(name))
	}
	path := strings.Split(strings.ReplaceAll(strings.ReplaceAll(name, "[", "."), "]", ""), ".")
	if slices.Contains(path, "") {
		return nil, fmt.Errorf("{%s} names no field of a row; write {{ and }} for braces", clip(name))
	}
	return path, nil
}

func clip(text string) string {
	const most = 40
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// Fill gives the row its input, unless it has one, which is an error.
func (p *Prompt) Fill(row *responses.Object) error {
	if wrong := p.fill(row); wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

// fill gives the row its input. The text says why it cannot, "" when it can.
func (p *Prompt) fill(row *responses.Object) string {
	var params responses.Object
	if v, ok := row.Get(keyParams); ok && v.Kind() != 'n' {
		if params, ok = row.Sub(keyParams); !ok {
			return fmt.Sprintf("%s must be an object, not %s", keyParams, kindName(v.Kind()))
		}
	}
	if hasInput(params) {
		return keyParams + ".input is there already, and a prompt was given: one or the other"
	}
	var input []byte
	input = append(input, '[')
	if p.system != nil {
		text, wrong := render(p.system, *row)
		if wrong != "" {
			return wrong
		}
		input = append(message("system", text).AppendTo(input), ',')
	}
	text, wrong := render(p.user, *row)
	if wrong != "" {
		return wrong
	}
	input = append(message("user", text).AppendTo(input), ']')
	params.Set("input", input)
	row.Set(keyParams, params.AppendTo(nil))
	return ""
}

// hasInput tells whether parameters have an input that is not empty.
func hasInput(params responses.Object) bool {
	v, ok := params.Get("input")
	if !ok || v.Kind() == 'n' {
		return false
	}
	if text, isText := params.String("input"); isText {
		return text != ""
	}
	items, isList := params.Array("input")
	return !isList || len(items) > 0
}

func message(role, text string) responses.Object {
	var o responses.Object
	o.SetString("role", role)
	o.SetString("content", text)
	return o
}

// render puts the row's members into a template.
func render(template []piece, row responses.Object) (text, wrong string) {
	var b strings.Builder
	for _, p := range template {
		if p.path == nil {
			b.WriteString(p.text)
			continue
		}
		v, ok := member(row, p.path)
		if !ok {
			return "", fmt.Sprintf("the prompt wants {%s}, which the row does not have", strings.Join(p.path, "."))
		}
		b.WriteString(v)
	}
	return b.String(), ""
}

// member is a value inside of a row, as it stands in a prompt.
func member(row responses.Object, path []string) (string, bool) {
	v, ok := row.Get(path[0])
	if !ok {
		return "", false
	}
	return inside(v, path[1:])
}

// inside follows a path into a value.
func inside(v jsontext.Value, path []string) (string, bool) {
	if len(path) == 0 {
		if v.Kind() == '"' {
			text, err := jsontext.AppendUnquote(nil, v)
			return string(text), err == nil
		}
		return string(v), true
	}
	switch v.Kind() {
	case '{':
		o, _ := responses.View(v)
		next, ok := o.Get(path[0])
		if !ok {
			return "", false
		}
		return inside(next, path[1:])
	case '[':
		var items []jsontext.Value
		i, err := strconv.Atoi(path[0])
		if err != nil || json.Unmarshal(v, &items) != nil || i < 0 || i >= len(items) {
			return "", false
		}
		return inside(items[i], path[1:])
	}
	return "", false
}
