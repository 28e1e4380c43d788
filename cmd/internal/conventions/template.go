package conventions

import (
	"regexp"
	"strings"
)

// template is the name of a span in which attributes may stand.
type template struct {
	*Span
	parts []string // text, attribute, text, ..., text
	holes []string // the attributes
	form  *regexp.Regexp
}

// Hole stands in a name for what only the running program knows.
const Hole = "\uFFFC"

var hole = regexp.MustCompile(`\{([^{}]+)\}`)

func newTemplate(s *Span) template {
	t := template{Span: s}
	end := 0
	for _, at := range hole.FindAllStringSubmatchIndex(s.Span, -1) {
		id := s.Span[at[2]:at[3]]
		t.parts, t.holes = append(t.parts, s.Span[end:at[0]], id), append(t.holes, id)
		end = at[1]
	}
	t.parts = append(t.parts, s.Span[end:])
	return t
}

// compile makes the form that names in source have: an attribute is what its pattern says or a hole. Without a pattern a name cannot
// be told from any other text, and none has the form.
func (t *template) compile(attributes map[string]*Attribute) {
	var b strings.Builder
	for i, part := range t.parts {
		switch {
		case i%2 == 0:
			b.WriteString(regexp.QuoteMeta(part))
		case attributes[part].Pattern == "":
			return
		default:
			b.WriteString("(?:" + Hole + "|" + attributes[part].Pattern + ")")
		}
	}
	t.form = regexp.MustCompile("^" + b.String() + "$")
}

// fill is the name of a span with these attributes.
func (t *template) fill(value func(id string) string) string {
	var b strings.Builder
	for i, part := range t.parts {
		if i%2 == 0 {
			b.WriteString(part)
		} else {
			b.WriteString(value(part))
		}
	}
	return b.String()
}
