// Package printable makes text from outside fit for a terminal.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes text fit for one line: control characters, invisible ones among them, are written as escapes, and so are bytes that are
// no UTF-8.
func Line(s string) string {
	if strings.IndexFunc(s, active) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != 0xEF:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !active(r):
			b.WriteRune(r)
		case r < 0x80:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// active says whether a rune could do something to a terminal or a reader beyond showing a mark.
func active(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
