package mcqa

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lensgo/lens/gym/resources/internal/pattern"
)

// letters are the answers of questions in other alphabets, as the data sets number them.
var letters = strings.NewReplacer("أ", " A", "ب", " B", "ج", " C", "د", " D", "অ", " A", "ব", " B", "ড", " C", "ঢ", " D")

// latin writes the letters that stand for A to D so, and letters of full width as others.
func latin(text string) string { return strings.TrimSpace(letters.Replace(norm.NFKC.String(text))) }

var markdownColon = pattern.Must(`[*_]{0,2}Answer[*_]{0,2}\s*:[*_\s]{0,2}(.+)`, pattern.IgnoreCase|pattern.Multiline)

// answerWork is what a look at a character behind "Answer:" takes, for [pattern.Work].
const answerWork = 5

// afterLastColon is the letter behind the last "Answer:", or the row's own word for it, that has one behind it. Where that word
// is said over and over in one line, each has the rest of the line behind it.
func (q question) afterLastColon(work *pattern.Work, text string) (string, error) {
	for _, answer := range slices.Backward(answers(norm.NFKC.String(text), norm.NFKC.String(q.prefix))) {
		if err := work.Take(answerWork * len(answer)); err != nil {
			return "", err
		}
		if letter := q.chosen(answer); letter != "" {
			return letter, nil
		}
	}
	return "", nil
}

// answers lists what stands behind "Answer:" and behind the prefix, in the order of the text.
func answers(text, prefix string) (list []string) {
	type found struct {
		at   int
		text string
	}
	var all []found
	for _, m := range markdownColon.All(text) {
		all = append(all, found{m[0], text[m[2]:m[3]]})
	}
	if prefix != "" {
		for _, m := range regexp.MustCompile("(?i)"+regexp.QuoteMeta(prefix)+`[\s\p{Z}]*`).FindAllStringIndex(text, -1) {
			line, _, _ := strings.Cut(text[m[1]:], "\n")
			all = append(all, found{m[0], line})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	for _, f := range all {
		list = append(list, f.text)
	}
	return list
}

// chosen is the one letter of an option that an answer names: alone, at its beginning, else the last capital that stands by
// itself. An answer that lists several options names none.
func (q question) chosen(answer string) string {
	answer = strings.Trim(latin(answer), "*_` \t\n\r.,;:")
	alone := standalone(answer)
	if q.listsSeveral(answer, alone) {
		return ""
	}
	letter := ""
	switch {
	case isLetter(answer):
		letter = answer
	case len(alone) > 0 && alone[0] == 0 && (answer[1] < '0' || answer[1] > '9'):
		letter = answer[:1]
	default:
		for _, i := range alone {
			if unicode.IsUpper(rune(answer[i])) && !wordAround(answer, i) {
				letter = answer[i : i+1]
			}
		}
	}
	if letter = strings.ToUpper(letter); q.options.has(letter) {
		return letter
	}
	return ""
}

// standalone lists where letters from A to Z stand without another one beside them.
func standalone(text string) (at []int) {
	ascii := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i]|0x20) >= 'a' && (text[i]|0x20) <= 'z'
	}
	for i := range len(text) {
		if ascii(i) && !ascii(i-1) && !ascii(i+1) {
			at = append(at, i)
		}
	}
	return at
}

// wordAround tells whether a letter, a digit or _ stands right before or behind the byte at i.
func wordAround(text string, i int) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return word(before) || word(after) // at either end it is U+FFFD, which is none
}

var separator = pattern.Must(`\A(?:\s*[/|&,;]\s*|\s+(?:or|and)\s+|\s+)\Z`, pattern.IgnoreCase)

// listsSeveral tells whether two letters of different options stand side by side, as in "A or B".
func (q question) listsSeveral(text string, alone []int) bool {
	last := -1
	for _, i := range alone {
		if !q.options.has(strings.ToUpper(text[i : i+1])) {
			continue
		}
		if last >= 0 && !strings.EqualFold(text[last:last+1], text[i:i+1]) {
			if _, ok := separator.First(text[last+1 : i]); ok {
				return true
			}
		}
		last = i
	}
	return false
}
