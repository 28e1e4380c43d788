package equivalence

import (
	"fmt"
	"slices"
	"strings"
)

// template is a text with places for names, in the form of Python's str.format: {question}; {{ and }} are braces.
type template []piece

// piece is a text, or the name of what is to stand there.
type piece struct{ text, name string }

// placeholders are the names that a prompt may have.
var placeholders = []string{"question", "expected_answer", "generated_answer"}

// parseTemplate reads a template.
func parseTemplate(text string) (t template, err error) {
	rest := strings.TrimSpace(text)
	var plain strings.Builder
	for rest != "" {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			break
		}
		plain.WriteString(rest[:i])
		if rest = rest[i:]; strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}") {
			plain.WriteByte(rest[0])
			rest = rest[2:]
			continue
		}
		name, after, found := strings.Cut(strings.TrimPrefix(rest, "{"), "}")
		if rest[0] == '}' || !found || !slices.Contains(placeholders, name) {
			return nil, fmt.Errorf("at %.20q: a brace begins one of {%s}; write {{ or }} for the brace itself", rest, strings.Join(placeholders, "}, {"))
		}
		t = append(t, piece{text: plain.String()}, piece{name: name})
		plain.Reset()
		rest = after
	}
	return append(t, piece{text: plain.String() + rest}), nil
}

// fill puts values in the places.
func (t template) fill(values map[string]string) string {
	var b strings.Builder
	for _, p := range t {
		if p.name != "" {
			b.WriteString(values[p.name])
			continue
		}
		b.WriteString(p.text)
	}
	return b.String()
}
