package mcqa

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/resources/internal/pattern"
	"github.com/lensgo/lens/gym/responses"
)

// compile reads template_metadata.output_regex: a pattern or a list of them. Those that are none in Python either are left
// out, as they are there. The error, a [responses.FieldErrors], is for those that are one there and not here.
func (e *environment) compile(v jsontext.Value) (list []*pattern.Pattern, err error) {
	at := []any{"body", "template_metadata", "output_regex"}
	if v == nil || responses.IsNull(v) {
		return nil, nil
	}
	elements, several := responses.Elements(v)
	if !several {
		elements = []jsontext.Value{v}
	}
	var bad responses.FieldErrors
	for i, element := range elements {
		place := at
		if several {
			place = append(slices.Clip(place), i)
		}
		text, ok := responses.Text(element)
		if !ok {
			bad = append(bad, responses.WrongType("string", element, place...))
			continue
		}
		p, err := e.patterns.Compile(text, pattern.IgnoreCase)
		if unsupported, ok := errors.AsType[*pattern.UnsupportedError](err); ok {
			bad = append(bad, responses.Detail{Type: "value_error", Loc: place, Msg: "Value error, " + unsupported.Error(), Input: element})
		}
		if err == nil {
			list = append(list, p)
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return list, nil
}

// byPattern is what the last match of a row's own pattern names. A letter is taken even if the row has no such option,
// because the pattern is the row's too. Of several groups the first that is not empty counts.
func (q question) byPattern(work *pattern.Work, p *pattern.Pattern, text string) (string, error) {
	match, ok, err := p.Last(work, text)
	if err != nil || !ok {
		return "", err
	}
	found := match[0]
	if len(match) > 1 {
		found = ""
		for _, group := range match[1:] {
			if found == "" {
				found = group
			}
		}
	}
	found = strings.ToUpper(latin(strings.TrimSpace(found)))
	if isLetter(found) {
		return found, nil
	}
	return q.options.exactly(found), nil
}
