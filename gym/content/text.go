package content

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxText is how many bytes of one text are recorded.
const MaxText = 8 << 10

// slack is read beyond MaxText, so that a credential that begins before the cut is seen for what it is.
const slack = 1 << 10

// excerpt is the beginning of a text, and how long all of it is.
type excerpt struct {
	text  string
	total int
}

// excerptOf is the beginning of s.
func excerptOf(s string) excerpt {
	if len(s) <= MaxText+slack {
		return excerpt{s, len(s)}
	}
	return excerpt{cut(s, MaxText+slack), len(s)}
}

// excerptOfBytes is the beginning of b.
func excerptOfBytes(b []byte) excerpt {
	e := excerptOf(string(b[:min(len(b), MaxText+slack+utf8.UTFMax)]))
	e.total = len(b)
	return e
}

// excerptOfJSON is the beginning of a JSON string. Only as much of it is decoded; the rest is measured.
func excerptOfJSON(quoted jsontext.Value) excerpt {
	quoted = bytes.Trim(quoted, " \t\r\n")
	if len(quoted) < 2 {
		return excerpt{}
	}
	const longest = 6 // bytes of an escape
	b := quoted[1 : len(quoted)-1]
	total := decodedLen(b)
	if head := b[:min(len(b), MaxText+slack+utf8.UTFMax)]; bytes.IndexByte(head, '\\') < 0 {
		e := excerptOf(string(head)) // the usual case: nothing to decode
		e.total = max(total, len(e.text))
		return e
	}
	if len(b) > longest*(MaxText+slack) {
		b = whole(b[:longest*(MaxText+slack)])
	}
	decoded, _ := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, b...), '"')) // the error only says that a byte was replaced
	e := excerptOf(string(decoded))
	e.total = max(total, len(e.text))
	return e
}

// decodedLen is how many bytes the inside of a JSON string stands for.
func decodedLen(b []byte) (n int) {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			return n + len(b)
		}
		n += i
		b = b[i:]
		if b[1] != 'u' || len(b) < 6 {
			n++
			b = b[2:]
			continue
		}
		r, _ := strconv.ParseUint(string(b[2:6]), 16, 16)
		switch {
		case 0xD800 <= r && r < 0xE000:
			n += 2 // half of a pair that has four
		default:
			n += utf8.RuneLen(rune(r))
		}
		b = b[6:]
	}
}

// whole takes an escape that was cut off the end of the inside of a JSON string.
func whole(b []byte) []byte {
	last := bytes.LastIndexByte(b, '\\')
	if last < 0 || len(b)-last >= 6 {
		return b
	}
	slashes := 1
	for last-slashes >= 0 && b[last-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 0 || len(b)-last >= 2 && b[last+1] != 'u' {
		return b
	}
	return b[:last]
}

// cut returns at most n bytes of s, without half a character at the end.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n]
}

// markOf says how much was cut.
func markOf(bytes int) string { return "…[cut " + strconv.Itoa(bytes) + " bytes]" }

// losses counts what was left out.
type losses struct{ cut, redacted int }

// clean is a text as it is recorded: redacted, and cut at MaxText.
func (l *losses) clean(e excerpt) string {
	text, redacted := Redact(e.text)
	l.redacted += redacted
	beyond := e.total - len(e.text)
	if len(text) <= MaxText && beyond == 0 {
		return text
	}
	kept := cut(text, MaxText)
	lost := beyond + len(text) - len(kept)
	l.cut += lost
	return kept + markOf(lost)
}
