package mcqa

import (
	"strings"
	"unicode"

	"github.com/lensgo/lens/gym/resources/internal/pattern"
)

// extract finds the letter that a text chooses, "" when it chooses none. The error is that of a search that was given up; see
// [pattern.Work].
func (q question) extract(work *pattern.Work, text string) (string, error) {
	for _, p := range q.patterns {
		if letter, err := q.byPattern(work, p, text); letter != "" || err != nil {
			return letter, err
		}
	}
	if q.mode != AnswerColonMarkdown {
		return q.byMode(text), nil
	}
	letter, err := q.afterLastColon(work, text)
	if err == nil && letter == "" && q.prefix != "" {
		return q.strictlyBoxed(text), nil
	}
	return letter, err
}

// byMode finds it by a mode that reads the text once.
func (q question) byMode(text string) string {
	switch q.mode {
	case LenientBoxed:
		if letter := q.strictlyBoxed(text); letter != "" {
			return letter
		}
		box, ok := boxed(text)
		if !ok {
			return ""
		}
		box = strings.TrimSpace(box)
		return q.options.within(box, unwrapped(box))
	case AnswerColon:
		return q.afterColon(text)
	}
	return q.strictlyBoxed(text)
}

// boxed is what stands in the last \boxed{...}, whose braces must close.
func boxed(text string) (string, bool) {
	const marker = `\boxed{`
	begin := strings.LastIndex(text, marker)
	if begin < 0 {
		return "", false
	}
	inner := text[begin+len(marker):]
	depth := 1
	for i := range len(inner) {
		switch inner[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return inner[:i], true
			}
		}
	}
	return "", false
}

// unwrapped takes every \text{...} off that is around the whole of a text. There may be one for every six characters of it, so
// each is looked at from its ends.
func unwrapped(text string) string {
	for {
		inner, ok := strings.CutPrefix(text, `\text{`)
		if !ok {
			return text
		}
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return text
		}
		text = strings.TrimFunc(inner, isSpace)
	}
}

// isSpace is what \s is in Python.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

var (
	// loneLetter is a box with nothing but a letter in it: C, [C], (C).
	loneLetter = pattern.Must(`\A[^A-Za-z]*([A-Z])[^A-Za-z]*\Z`, 0)
	// labelLetter is one that begins with a label: C: gold, C) gold.
	labelLetter = pattern.Must(`\A\s*([A-Z])\s*[:).\-]`, 0)
)

// strictlyBoxed is the letter in the last box.
func (q question) strictlyBoxed(text string) string {
	box, ok := boxed(text)
	if !ok {
		return ""
	}
	box = unwrapped(strings.TrimSpace(box))
	found, ok := loneLetter.First(box)
	if !ok {
		found, ok = labelLetter.First(box)
	}
	if !ok || !q.options.has(found[1]) {
		return ""
	}
	return found[1]
}

var answerColon = pattern.Must(`answer\s*:\s*(.+)`, pattern.IgnoreCase)

// afterColon is what the first "Answer:" names.
func (q question) afterColon(text string) string {
	found, ok := answerColon.First(text)
	if !ok {
		return ""
	}
	answer := strings.TrimSpace(unwrapped(found[1]))
	if letter := strings.ToUpper(answer); isLetter(answer) && q.options.has(letter) {
		return letter
	}
	return q.options.exactly(answer)
}
