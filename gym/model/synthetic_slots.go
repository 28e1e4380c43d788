package model

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// slotKind says which parameters a slot fits.
type slotKind uint8

const (
	integerSlot slotKind = iota + 1
	wordSlot
)

// slot is one value that a user's text offers to a tool. Two slots are the same argument exactly when they are equal.
type slot struct {
	kind slotKind
	json string // the value as JSON text: 12 or "San Francisco"
}

// quotes leads from a mark that opens a quoted word to the mark that closes it.
var quotes = map[rune]rune{'\'': '\'', '"': '"', '‘': '’', '“': '”'}

// parseSlots lists the integers and the quoted words of a text in their order.
//
// An integer stands by itself and fits int64: "3" and "-4", but not what is part of a longer token, such as "3.5",
// "3rd", "B12", "10:30" or "2026-05-01". A comma always separates, so "1,2" is two integers and "1,000" is two as well.
//
// A quoted word stands on one line between straight or typographic quotes, single or double; it may hold blanks and
// apostrophes ('St. John's'). An apostrophe inside a word opens nothing. Integers inside quotes are part of the word.
func parseSlots(text string) []slot {
	text = strings.ToValidUTF8(text, "\uFFFD")
	var slots []slot
	before := "" // the text in front of the cursor
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case isWordRune(r):
			size = wordLen(rest)
			if n, ok := integer(before, rest[:size]); ok {
				slots = append(slots, slot{kind: integerSlot, json: strconv.FormatInt(n, 10)})
			}
		case quotes[r] != 0 && !isWordRune(lastRune(before)):
			if word, length, ok := quoted(rest, r); ok {
				slots = append(slots, slot{kind: wordSlot, json: quoteJSON(word)})
				size = length
			}
		}
		before, rest = text[:len(before)+size], rest[size:]
	}
	return slots
}

// wordLen is the length of the token that text begins with: letters and digits, and the marks that join them.
func wordLen(text string) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		joined := strings.ContainsRune("'’.:/-", r) && isWordRune(firstRune(text[n+size:]))
		if !isWordRune(r) && !joined {
			break
		}
		n += size
	}
	return n
}

// integer reads a token; before is the text in front of it, which may end in a sign.
func integer(before, token string) (int64, bool) {
	if strings.HasSuffix(before, ".") { // the fraction of .5
		return 0, false
	}
	if sign := lastRune(before); sign == '-' || sign == '−' {
		r := lastRune(strings.TrimSuffix(before, string(sign)))
		if r == utf8.RuneError || unicode.IsSpace(r) || strings.ContainsRune("([{,;:=", r) {
			token = "-" + token
		}
	}
	n, err := strconv.ParseInt(token, 10, 64)
	return n, err == nil
}

// quoted reads the quoted word that text begins with and returns it with its length, quotes included.
func quoted(text string, open rune) (word string, length int, ok bool) {
	closing := quotes[open]
	start := utf8.RuneLen(open)
	if r := firstRune(text[start:]); unicode.IsSpace(r) {
		return "", 0, false
	}
	last := open
	for i, r := range text[start:] {
		next := firstRune(text[start+i+utf8.RuneLen(r):])
		switch {
		case r == '\n':
			return "", 0, false
		case r == closing && !isWordRune(next) && !unicode.IsSpace(last):
			return text[start : start+i], start + i + utf8.RuneLen(r), i > 0
		case r == open && !isWordRune(last): // the first mark opened nothing: it was an apostrophe, as in 'tis
			return "", 0, false
		}
		last = r
	}
	return "", 0, false
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// firstRune and lastRune are utf8.RuneError for an empty string, which no class of characters holds.
func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }

// quoteJSON writes s as a JSON string; bytes that are no UTF-8 become U+FFFD, which is all that the error would say.
func quoteJSON(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}
