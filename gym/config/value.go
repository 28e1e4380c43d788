package config

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// valueParser reads the value of an override.
type valueParser struct {
	text string
	pos  int // in bytes
	at   position
	base int // runes of the override before text
	ps   *problems
}

// fail adds a problem at the byte pos; it never shows the value, which may be a key.
func (p *valueParser) fail(pos int, format string, args ...any) *node {
	at := p.at
	at.line, at.column = 1, p.base+utf8.RuneCountInString(p.text[:pos])+1
	p.ps.add(at, format, args...)
	return nil
}

// whole reads all of the text as one value, nil after a problem.
func (p *valueParser) whole() *node {
	if strings.TrimSpace(p.text) == "" {
		return stringNode("", p.at)
	}
	v := p.value("", 0)
	if v == nil {
		return nil
	}
	p.blanks()
	switch {
	case p.pos == len(p.text):
		return v
	case p.text[p.pos] == ',':
		return p.fail(p.pos, `a comma makes several values, which only a sweep takes: write [a,b] for a list, or \, for the character`)
	}
	return p.fail(p.pos, "the value has ended before this: put all of it between quotes, or a backslash before the character")
}

func (p *valueParser) blanks() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
}

// next tells what is at the position, 0 at the end.
func (p *valueParser) next() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// value reads one value that ends before one of the stop characters, or a comma.
func (p *valueParser) value(stop string, depth int) *node {
	p.blanks()
	if depth > maxDepth {
		return p.fail(p.pos, "nested deeper than %d", maxDepth)
	}
	switch c := p.next(); c {
	case '[':
		return p.list(depth)
	case '{':
		return p.mapping(depth)
	case '"', '\'':
		return p.quoted(c)
	}
	return p.plain(stop + ",")
}

func (p *valueParser) list(depth int) *node {
	start := p.pos
	list := &node{kind: '[', at: p.at}
	p.pos++
	for first := true; ; first = false {
		p.blanks()
		switch p.next() {
		case 0:
			return p.fail(start, "the list that begins here has no ]")
		case ']':
			if first {
				p.pos++
				return list
			}
			return p.fail(p.pos, "a value is missing before ]")
		}
		v := p.value("]", depth+1)
		if v == nil {
			return nil
		}
		list.items = append(list.items, v)
		if done, ok := p.after(start, ']'); done || !ok {
			return list.or(ok)
		}
	}
}

// after reads what follows an element: a comma, or the end of what began at start.
func (p *valueParser) after(start int, end byte) (done, ok bool) {
	p.blanks()
	switch p.next() {
	case ',':
		p.pos++
		return false, true
	case end:
		p.pos++
		return true, true
	case 0:
		p.fail(start, "what begins here has no %c", end)
	default:
		p.fail(p.pos, "a comma or %c is missing here", end)
	}
	return false, false
}

// or is n, or nil after a problem.
func (n *node) or(ok bool) *node {
	if ok {
		return n
	}
	return nil
}

func (p *valueParser) mapping(depth int) *node {
	start := p.pos
	m := &node{kind: '{', at: p.at}
	p.pos++
	for first := true; ; first = false {
		p.blanks()
		switch c := p.next(); {
		case c == 0:
			return p.fail(start, "the mapping that begins here has no }")
		case c == '}' && first:
			p.pos++
			return m
		}
		name, ok := p.name()
		if !ok {
			return nil
		}
		if m.get(name) != nil {
			return p.fail(p.pos, "a key stands twice in this mapping")
		}
		p.pos++ // the colon
		v := p.value("}", depth+1)
		if v == nil {
			return nil
		}
		m.set(name, v)
		if done, ok := p.after(start, '}'); done || !ok {
			return m.or(ok)
		}
	}
}

// name reads a key of a mapping up to its colon.
func (p *valueParser) name() (string, bool) {
	start := p.pos
	var n *node
	if c := p.next(); c == '"' || c == '\'' {
		n = p.quoted(c)
	} else {
		n = p.plain(":,}")
	}
	if n == nil {
		return "", false
	}
	p.blanks()
	if p.next() != ':' || n.plain() == "" {
		p.fail(start, "a key and a colon are missing here")
		return "", false
	}
	return n.plain(), true
}

// quoted reads a text between quotes. Backslashes count only before a quote: two make one, an odd one makes the quote plain.
func (p *valueParser) quoted(quote byte) *node {
	start := p.pos
	p.pos++
	var b strings.Builder
	slashes := 0
	for ; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		if c == '\\' {
			slashes++
			continue
		}
		if c != quote {
			b.WriteString(strings.Repeat(`\`, slashes))
			b.WriteByte(c)
			slashes = 0
			continue
		}
		b.WriteString(strings.Repeat(`\`, slashes/2))
		if slashes%2 == 0 {
			p.pos++
			return stringNode(b.String(), p.at)
		}
		b.WriteByte(c)
		slashes = 0
	}
	return p.fail(start, "the quote that begins here has no end")
}

var functionCall = regexp.MustCompile(`^[A-Za-z_]\w*\(`)

// plain reads an unquoted value up to a stop character. ${...} is read as a whole.
func (p *valueParser) plain(stop string) *node {
	start := p.pos
	if functionCall.MatchString(p.text[start:]) {
		return p.fail(start, "functions of Hydra are not carried out: put a text with ( between quotes")
	}
	var b strings.Builder
	escaped, kept := false, 0 // kept is the length up to the last character that no trimming may take
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if strings.IndexByte(stop, c) >= 0 {
			break
		}
		switch {
		case c == '\\' && p.pos+1 < len(p.text) && strings.IndexByte(`\()[]{}:=, `+"\t", p.text[p.pos+1]) >= 0:
			b.WriteByte(p.text[p.pos+1])
			p.pos += 2
			escaped, kept = true, b.Len()
		case strings.HasPrefix(p.text[p.pos:], "${"):
			end := closing(p.text[p.pos:])
			if end < 0 {
				return p.fail(p.pos, "${ without its }")
			}
			b.WriteString(p.text[p.pos : p.pos+end+1])
			p.pos += end + 1
			kept = b.Len()
		case strings.IndexByte("[]{}", c) >= 0:
			return p.fail(p.pos, "%c cannot stand here: put the text between quotes, or a backslash before it", c)
		default:
			b.WriteByte(c)
			p.pos++
		}
	}
	text := b.String()
	text = text[:kept] + strings.TrimRight(text[kept:], " \t")
	if text == "" && !escaped {
		return p.fail(p.pos, "a value is missing here")
	}
	if escaped {
		return stringNode(text, p.at)
	}
	return p.typed(text, start)
}

var (
	overrideInt   = regexp.MustCompile(`^[+-]?(0|[1-9]\d*(_\d+)*)$`)
	overrideFloat = regexp.MustCompile(`^[+-]?((\d+(_\d+)*)?\.\d+(_\d+)*|\d+(_\d+)*\.?)([eE][+-]?\d+(_\d+)*)?$`)
)

// typed gives an unquoted text its type.
func (p *valueParser) typed(text string, start int) *node {
	switch lower := strings.ToLower(text); lower {
	case "null", "true", "false":
		return rawNode(lower, p.at)
	case "nan", "inf", "+inf", "-inf":
		return p.fail(start, "%s is a number that JSON does not have; put it between quotes to mean the text", lower)
	}
	digits := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	switch {
	case overrideInt.MatchString(text):
		return rawNode(digits, p.at)
	case !overrideFloat.MatchString(text) || !strings.ContainsAny(text, ".eE"):
		return stringNode(text, p.at)
	}
	if v := jsontext.Value(digits); v.IsValid() {
		return rawNode(digits, p.at)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return stringNode(text, p.at)
	}
	return rawNode(strconv.FormatFloat(f, 'g', -1, 64), p.at)
}
