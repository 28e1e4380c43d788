package equivalence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/internal/pattern"
	"github.com/lensgo/lens/gym/responses"
)

// task finds question and answers in a rollout. The error is a [responses.FieldErrors].
func (e *environment) task(ctx context.Context, v resources.Verification[row]) (t task, err error) {
	work := pattern.NewWork(ctx)
	if t.question, err = cut(work, e.question, lastQuestion(v.Params)); err != nil {
		return t, fmt.Errorf("cannot cut the question out by question_extract_regex: %w", err)
	}
	t.expected = expectedAnswer(v.Row)
	use := e.answer
	if own := v.Row.Template; own != nil && own.OutputRegex != nil && *own.OutputRegex != "" && e.settings.PerRecordRegex {
		if t.own, err = e.rowPattern(*own.OutputRegex); err != nil {
			return t, err
		}
		use = t.own
		if limit := e.settings.LengthThreshold; limit != nil && utf8.RuneCountInString(t.expected) > *limit {
			t.tooLong, use = true, nil
		}
	}
	t.whole = lastAnswer(v.Response)
	if t.answer, err = cut(work, use, t.whole); err != nil {
		return t, fmt.Errorf("cannot cut the answer out by its regular expression: %w", err)
	}
	if t.whole == "" {
		t.answer, t.whole = e.settings.NoAnswer, e.settings.NoAnswer
	}
	return t, nil
}

// rowPattern compiles a row's own pattern. One that is none in Python either finds nothing, as there.
func (e *environment) rowPattern(text string) (*pattern.Pattern, error) {
	p, err := e.patterns.Compile(text, pattern.Multiline|pattern.DotAll)
	if unsupported, ok := errors.AsType[*pattern.UnsupportedError](err); ok {
		quoted, _ := jsontext.AppendQuote(nil, text)
		return nil, responses.FieldErrors{{Type: "value_error", Loc: []any{"body", "template_metadata", "output_regex"},
			Msg: "Value error, " + unsupported.Error(), Input: quoted}}
	}
	if err != nil {
		return nothing, nil
	}
	return p, nil
}

// nothing matches nowhere.
var nothing = pattern.Must(`\A\b\B`, 0)

// cut is the last match of a pattern in a text: its first group that is not blank, else all of it. A text without a match,
// or without a pattern to look for, is taken whole.
func cut(work *pattern.Work, p *pattern.Pattern, text string) (string, error) {
	if p == nil || text == "" {
		return text, nil
	}
	match, ok, err := p.Last(work, text)
	if err != nil || !ok {
		return text, err
	}
	for _, group := range match[1:] {
		if group = strings.TrimSpace(group); group != "" {
			return group, nil
		}
	}
	return strings.TrimSpace(match[0]), nil
}

// expectedAnswer is a row's, or that of its metadata.
func expectedAnswer(r row) string {
	if text := plain(r.Expected); text != "" {
		return text
	}
	if r.Metadata != nil {
		return plain(r.Metadata.Expected)
	}
	return ""
}

// plain is a value as a text: a string's own, that of anything else as it stands.
func plain(v jsontext.Value) string {
	if v == nil || responses.IsNull(v) {
		return ""
	}
	if text, ok := responses.Text(v); ok {
		return text
	}
	return string(v)
}

// lastQuestion is the text of the last message of the user.
func lastQuestion(p responses.CreateParams) string {
	items, _ := p.Input() // it was checked when the request was read
	for _, item := range slices.Backward(items) {
		if item.Type() == responses.TypeMessage && item.Role() == "user" {
			return strings.TrimSpace(item.Text())
		}
	}
	return ""
}

// lastAnswer is the text of the assistant's last message, with a line for each of its parts.
func lastAnswer(r responses.Response) string {
	items, _ := r.Output() // likewise
	for _, item := range slices.Backward(items) {
		if item.Type() != responses.TypeMessage || item.Role() != "assistant" {
			continue
		}
		parts, ok := item.Array("content")
		if !ok {
			return strings.TrimSpace(item.Text())
		}
		var lines []string
		for _, v := range parts {
			if part, ok := responses.View(v); ok {
				if text, ok := part.String("text"); ok {
					lines = append(lines, text)
				}
			}
		}
		return strings.TrimSpace(strings.Join(lines, "\n"))
	}
	return ""
}

// label is the verdict in a judge's answer: the label that comes first in the last part of its last message; nil for none.
func (e *environment) label(answer responses.Response) (*string, error) {
	items, err := answer.Output()
	if err != nil {
		return nil, err
	}
	if len(items) == 0 || items[len(items)-1].Type() != responses.TypeMessage {
		return nil, nil
	}
	text := items[len(items)-1].Text()
	if parts, ok := items[len(items)-1].Array("content"); ok && len(parts) > 0 {
		last, _ := responses.View(parts[len(parts)-1])
		text, _ = last.String("text")
	}
	equal, different := strings.Index(text, e.settings.EqualLabel), strings.Index(text, e.settings.NotEqualLabel)
	switch {
	case equal >= 0 && (different < 0 || equal < different):
		return &e.settings.EqualLabel, nil
	case different >= 0:
		return &e.settings.NotEqualLabel, nil
	}
	return nil, nil
}
