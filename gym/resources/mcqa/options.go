package mcqa

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lensgo/lens/gym/responses"
)

// option is one answer that may be chosen. Options that a row gives without a text, or by more than a letter, are none.
type option struct {
	letter string // a capital
	text   string // as it is compared
}

// options are the answers to choose from, in order.
type options []option

// readOptions reads objects that have letters for names. The error is a [responses.FieldErrors].
func readOptions(rows []responses.Object) (list options, err error) {
	var bad responses.FieldErrors
	for i, row := range rows {
		for name, value := range row.All() {
			text, ok := responses.Text(value)
			switch {
			case responses.IsNull(value):
			case !ok:
				bad = append(bad, responses.WrongType("string", value, "body", "options", i, name))
			case utf8.RuneCountInString(name) == 1 && isLetter(name):
				list = append(list, option{letter: strings.ToUpper(name), text: normal(text)})
			}
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return list, nil
}

// has tells whether one of the options has the letter.
func (o options) has(letter string) bool {
	return slices.ContainsFunc(o, func(o option) bool { return o.letter == letter })
}

// exactly is the letter of the first option with that text, "" for none.
func (o options) exactly(text string) string {
	text = normal(text)
	for _, option := range o {
		if option.text == text {
			return option.letter
		}
	}
	return ""
}

// within is the letter of the only option whose text is part of one of the texts; "" when there is none, or more than one.
func (o options) within(texts ...string) (letter string) {
	for _, text := range texts {
		text = normal(text)
		for _, option := range o {
			if option.text == "" || !strings.Contains(text, option.text) {
				continue
			}
			if letter != "" && letter != option.letter {
				return ""
			}
			letter = option.letter
		}
	}
	return letter
}

// normal is a text as it is compared: in small letters, with one blank between words.
func normal(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// isLetter tells whether a text is one letter of any alphabet.
func isLetter(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && size == len(text) && unicode.IsLetter(r)
}
