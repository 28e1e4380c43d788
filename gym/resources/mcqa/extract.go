package mcqa

import (
	"strings"

	"github.com/lensgo/lens/gym/resources/internal/pattern"
)

// extract finds the letter that a text chooses, "" when it chooses none.
func (q question) extract(text string) string {
	for _, p := range q.patterns {
		if letter := q.byPattern(p, text); letter != "" {
			return letter
		}
	}
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
	case AnswerColonMarkdown:
		letter := q.afterLastColon(text)
		if letter == "" && q.prefix != "" {
			return q.strictlyBoxed(text)
		}
		return letter
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

var textWrapper = pattern.Must(`\A\\text\{\s*(.*?)\s*\}\Z`, pattern.DotAll)

// unwrapped takes every \text{...} off that is around the whole of a text.
func unwrapped(text string) string {
	for {
		inner, ok := textWrapper.First(text)
		if !ok {
			return text
		}
		text = inner[1]
	}
}

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
