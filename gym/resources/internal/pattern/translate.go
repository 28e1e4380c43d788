package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// What Python's classes are in Unicode, as the inside of a class of RE2.
const (
	digits = `\p{Nd}`
	words  = `_\p{L}\p{N}`
	spaces = `\t-\r\x1c-\x20\x{85}\p{Z}`
)

// octal3 is a number in octal, which three digits are and fewer are not, unless they begin with 0 or stand in a class.
var octal3 = regexp.MustCompile(`^[0-3][0-7]{2}`)

// translator rewrites an expression of Python for RE2.
type translator struct {
	in    string
	at    int // of the next byte to read
	out   strings.Builder
	ascii bool // (?a): classes are of ASCII
	quant bool // what was read last was a quantifier
}

func translate(python string) (string, error) {
	t := &translator{in: python}
	for t.at < len(t.in) {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

// unsupported is the error that names what stands at an offset.
func (t *translator) unsupported(what string, offset int) error {
	return &UnsupportedError{Pattern: t.in, What: what, Offset: offset}
}

// next translates one piece.
func (t *translator) next() error {
	quant := t.quant
	t.quant = false
	switch t.in[t.at] {
	case '\\':
		return t.escape(false)
	case '(':
		return t.group()
	case '[':
		return t.class()
	case '*', '+', '?':
		if quant && t.in[t.at] == '+' {
			return t.unsupported("a possessive quantifier", t.at)
		}
		t.quant = !quant // after a quantifier, ? makes it lazy
		t.copy(1)
	case '{':
		t.repeat()
	default:
		_, size := utf8.DecodeRuneInString(t.in[t.at:])
		t.copy(size)
	}
	return nil
}

// copy takes n bytes over as they are.
func (t *translator) copy(n int) {
	t.out.WriteString(t.in[t.at : t.at+n])
	t.at += n
}

// repeat translates {m,n}, whose m may be missing in Python.
func (t *translator) repeat() {
	end := strings.IndexByte(t.in[t.at:], '}')
	if end < 0 || strings.Trim(t.in[t.at+1:t.at+end], "0123456789,") != "" || end == 1 {
		t.copy(1)
		return
	}
	t.quant = true
	if t.in[t.at+1] == ',' {
		t.out.WriteString("{0")
		t.at++
		end--
	}
	t.copy(end + 1)
}

// group translates what begins with a parenthesis.
func (t *translator) group() error {
	rest := t.in[t.at:]
	for _, construct := range []struct{ text, what string }{
		{"(?=", "a lookahead"}, {"(?!", "a negative lookahead"}, {"(?<=", "a lookbehind"}, {"(?<!", "a negative lookbehind"},
		{"(?>", "an atomic group"}, {"(?(", "a conditional"}, {"(?P=", "a backreference"},
	} {
		if strings.HasPrefix(rest, construct.text) {
			return t.unsupported(construct.what, t.at)
		}
	}
	switch {
	case strings.HasPrefix(rest, "(?#"):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return invalid(t.in, "missing ), unterminated comment")
		}
		t.at += end + 1
	case strings.HasPrefix(rest, "(?P<"), strings.HasPrefix(rest, "(?:"):
		t.copy(3)
	case strings.HasPrefix(rest, "(?"):
		return t.flags()
	default:
		t.copy(1)
	}
	return nil
}

// flags translates (?i) and (?i-s:.
func (t *translator) flags() error {
	end := strings.IndexAny(t.in[t.at:], ":)")
	if end < 0 {
		return invalid(t.in, "missing ), unterminated flags")
	}
	keep := ""
	for i, letter := range t.in[t.at+2 : t.at+end] {
		switch letter {
		case 'i', 'm', 's', '-':
			keep += string(letter)
		case 'u':
		case 'a':
			t.ascii = true
		case 'x':
			return t.unsupported("the flag x (verbose)", t.at+2+i)
		case 'L':
			return t.unsupported("the flag L (locale)", t.at+2+i)
		default:
			return invalid(t.in, fmt.Sprintf("unknown extension or flag %q", letter))
		}
	}
	closing := t.in[t.at+end]
	t.at += end + 1
	switch {
	case closing == ':':
		t.out.WriteString("(?" + keep + ":")
	case keep != "":
		t.out.WriteString("(?" + keep + ")")
	}
	return nil
}

// class translates [...].
func (t *translator) class() error {
	t.copy(1)
	if t.peek('^') {
		t.copy(1)
	}
	for first := true; ; first = false {
		switch {
		case t.at >= len(t.in):
			return invalid(t.in, "missing ], unterminated character set")
		case t.peek(']') && !first:
			t.copy(1)
			return nil
		case t.peek('\\'):
			if err := t.escape(true); err != nil {
				return err
			}
		case t.peek('['), t.peek(']'): // RE2 would read [:alpha:]
			t.out.WriteByte('\\')
			t.copy(1)
		default:
			_, size := utf8.DecodeRuneInString(t.in[t.at:])
			t.copy(size)
		}
	}
}

func (t *translator) peek(c byte) bool { return t.at < len(t.in) && t.in[t.at] == c }

// escape translates what begins with a backslash.
func (t *translator) escape(inClass bool) error {
	if t.at+1 >= len(t.in) {
		return invalid(t.in, "bad escape at the end of the pattern")
	}
	begin := t.at
	c, size := utf8.DecodeRuneInString(t.in[t.at+1:])
	t.at += 1 + size
	switch {
	case c >= '1' && c <= '9' && !inClass && !octal3.MatchString(t.in[begin+1:]):
		return t.unsupported("a backreference", begin)
	case c >= '0' && c <= '7':
		t.rune(t.octal(c))
	case strings.ContainsRune("dDwWsS", c):
		t.named(c, inClass)
	case c == 'b' && inClass:
		t.rune('\b')
	case c == 'x', c == 'u', c == 'U':
		return t.hex(map[rune]int{'x': 2, 'u': 4, 'U': 8}[c])
	case c == 'N':
		return t.unsupported(`a character by its name (\N{...})`, begin)
	case c == 'Z' && !inClass:
		t.out.WriteString(`\z`)
	case strings.ContainsRune("afnrtv", c), !inClass && strings.ContainsRune("AbB", c):
		t.out.WriteString(`\` + string(c))
	case c < utf8.RuneSelf && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'):
		return invalid(t.in, `bad escape \`+string(c))
	default:
		t.rune(c)
	}
	return nil
}

// rune writes a character that stands for itself.
func (t *translator) rune(r rune) { fmt.Fprintf(&t.out, `\x{%x}`, r) }

// octal reads up to two more digits of a number that begins with first.
func (t *translator) octal(first rune) rune {
	n := first - '0'
	for range 2 {
		if t.at >= len(t.in) || t.in[t.at] < '0' || t.in[t.at] > '7' {
			break
		}
		n = n*8 + rune(t.in[t.at]-'0')
		t.at++
	}
	return n
}

// hex reads a character by the number of its code point.
func (t *translator) hex(length int) error {
	if t.at+length > len(t.in) {
		return invalid(t.in, "incomplete escape")
	}
	n, err := strconv.ParseUint(t.in[t.at:t.at+length], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return invalid(t.in, "bad escape "+strconv.Quote(t.in[t.at:t.at+length]))
	}
	t.at += length
	t.rune(rune(n))
	return nil
}

// named translates \d, \w, \s and their opposites.
func (t *translator) named(c rune, inClass bool) {
	if t.ascii {
		t.out.WriteString(`\` + string(c))
		return
	}
	inside := map[rune]string{'d': digits, 'w': words, 's': spaces}[c|0x20]
	opposite := c < 'a'
	switch {
	case !inClass && opposite:
		t.out.WriteString("[^" + inside + "]")
	case !inClass:
		t.out.WriteString("[" + inside + "]")
	case opposite:
		t.out.WriteString(opposites()[c])
	default:
		t.out.WriteString(inside)
	}
}

// opposites are \D, \W and \S as they stand inside of a class: all ranges of the rest.
var opposites = sync.OnceValue(func() map[rune]string {
	all := map[rune]string{}
	for c, inside := range map[rune]string{'D': digits, 'W': words, 'S': spaces} {
		re, err := syntax.Parse("[^"+inside+"]", syntax.Perl)
		if err != nil {
			panic(err) // it is a constant
		}
		var text strings.Builder
		for i := 0; i < len(re.Rune); i += 2 {
			fmt.Fprintf(&text, `\x{%x}-\x{%x}`, re.Rune[i], re.Rune[i+1])
		}
		all[c] = text.String()
	}
	return all
})
