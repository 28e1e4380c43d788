package query

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of what [Parse] accepts.
const (
	MaxLength = 4096 // bytes
	MaxTerms  = 64
)

// Options say what a query is for. The zero value is good for rollouts.
type Options struct {
	List List

	// Attribute tells whether a name without a dot is the key of an attribute. Nil: none is.
	Attribute func(key string) bool

	// Now is what ages are counted from; zero is the time of the call.
	Now time.Time
}

// Parse reads a query. An error is an [*Error]; the query is then empty.
func Parse(text string, o Options) (Query, error) {
	if len(text) > MaxLength {
		return Query{}, &Error{MaxLength, len(text) - MaxLength, fmt.Sprintf("The filter has %d bytes, it can have %d.", len(text), MaxLength), ""}
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	p := parser{text: text, o: o}
	var q Query
	for p.blank(); p.pos < len(text); p.blank() {
		if len(q.terms) == MaxTerms {
			return Query{}, &Error{p.pos, len(text) - p.pos, fmt.Sprintf("The filter can have %d terms.", MaxTerms), ""}
		}
		t, err := p.term()
		if err != nil {
			return Query{}, err
		}
		q.terms = append(q.terms, t)
	}
	return q, nil
}

// parser reads a query from left to right.
type parser struct {
	text string
	pos  int
	o    Options
}

func (p *parser) blank() {
	for p.pos < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		p.pos += n
	}
}

// atBlank tells whether a word ends here.
func (p *parser) atBlank() bool {
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return p.pos >= len(p.text) || unicode.IsSpace(r)
}

func (p *parser) fail(from int, format string, args ...any) *Error {
	return &Error{from, p.pos - from, fmt.Sprintf(format, args...), ""}
}

func (p *parser) term() (t Term, err *Error) {
	t.Offset = p.pos
	if p.text[p.pos] == '-' {
		p.pos++
		if t.Negated = !p.atBlank(); !t.Negated {
			return t, p.fail(t.Offset, `A term must follow "-". To search for a dash, put it in quotes.`)
		}
	}
	if name, op := p.head(); op != "" {
		err = p.condition(&t, name, op)
	} else {
		err = p.search(&t)
	}
	t.Length = p.pos - t.Offset
	return t, err
}

var operators = []Op{NotEqual, LessEq, GreaterEq, Has, Equal, Less, Greater, Matches} // the long ones first

// head reads a field and its operator, or nothing.
func (p *parser) head() (name string, op Op) {
	end := p.pos
	for end < len(p.text) && isName(p.text[end], end == p.pos) {
		end++
	}
	if end == p.pos {
		return "", ""
	}
	for _, o := range operators {
		if strings.HasPrefix(p.text[end:], string(o)) {
			name = p.text[p.pos:end]
			p.pos = end + len(o)
			return name, o
		}
	}
	return "", ""
}

func isName(c byte, first bool) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
	return letter || !first && (c >= '0' && c <= '9' || c == '.' || c == '-' || c == '/')
}

func (p *parser) search(t *Term) *Error {
	var value string
	if p.text[p.pos] == '"' {
		v, err := p.quoted()
		if err != nil {
			return err
		}
		if !p.atBlank() {
			p.pos++
			return p.fail(t.Offset, "A blank must follow the closing quote.")
		}
		value = v
	} else {
		from := p.pos
		for !p.atBlank() {
			p.rune()
		}
		value = p.text[from:p.pos]
	}
	t.Values = []string{value}
	t.text = contains(value)
	return nil
}

func (p *parser) rune() {
	_, n := utf8.DecodeRuneInString(p.text[p.pos:])
	p.pos += n
}

// quoted reads a text in quotes.
func (p *parser) quoted() (string, *Error) {
	from := p.pos
	var b strings.Builder
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return b.String(), nil
		case c == '\\' && p.pos+1 < len(p.text) && (p.text[p.pos+1] == '"' || p.text[p.pos+1] == '\\'):
			p.pos++
			b.WriteByte(p.text[p.pos])
		default:
			b.WriteByte(c)
		}
	}
	return "", p.fail(from, "The quote is not closed.")
}

// condition reads what follows a field and its operator.
func (p *parser) condition(t *Term, name string, op Op) *Error {
	from := p.pos - len(op) - len(name)
	info, err := p.field(from, name)
	if err != nil {
		return err
	}
	t.Field, t.Op = info.Field, op
	if info.Field == Attribute {
		t.Key = name
	}
	if info.Type == IsText && info.Field != Attribute && strings.ContainsAny(string(op), "<>") {
		return p.fail(from, `%s is a text, which "%s" cannot compare. Use ":", "=", "!=" or "~".`, name, op)
	}
	if info.Type != IsText && op == Matches {
		return p.fail(from, `%s is a number, which "~" cannot search. Use ":", "<", ">" or a range.`, name)
	}
	if info.Type == IsTime && op != Has && op != Equal {
		return p.fail(from, `since takes ":" only: since:2h is the last two hours.`)
	}
	if err := p.values(t, info); err != nil {
		return err
	}
	if !p.atBlank() {
		p.pos++
		return p.fail(from, "A blank must follow the closing quote.")
	}
	return nil
}

// values reads a list of values.
func (p *parser) values(t *Term, info Info) *Error {
	var tests []func(string) bool
	for {
		at := p.pos
		value, err := p.value(t.Op)
		if err != nil {
			return err
		}
		t.Values = append(t.Values, value)
		test, err := p.compile(t, info, value, at)
		if err != nil {
			return err
		}
		tests = append(tests, test)
		if t.Op == Matches || p.pos >= len(p.text) || p.text[p.pos] != ',' {
			break
		}
		p.pos++
		if info.Type == IsTime || strings.ContainsAny(string(t.Op), "<>") {
			return p.fail(at, `"%s" takes one value.`, info.Name+string(t.Op))
		}
	}
	t.text = anyOf(tests)
	return nil
}

// field finds the field of a name, or takes it for the key of an attribute.
func (p *parser) field(from int, name string) (Info, *Error) {
	if info, ok := Lookup(name); ok {
		if !info.In(p.o.List) {
			return info, &Error{from, len(name), fmt.Sprintf("%s is no field of %s.", name, p.o.List), nearest(name, p.o.List)}
		}
		return info, nil
	}
	if strings.Contains(name, ".") || p.o.Attribute != nil && p.o.Attribute(name) {
		return Info{Field: Attribute, Name: name}, nil
	}
	best, hint := nearest(name, p.o.List), ""
	if best != "" {
		hint = " Nearest: " + best + "."
	}
	return Info{}, &Error{from, len(name), fmt.Sprintf("No field is called %q.%s To search for the text, put it in quotes.", name, hint), best}
}

// value reads one value of a list.
func (p *parser) value(op Op) (string, *Error) {
	from := p.pos
	if p.pos < len(p.text) && p.text[p.pos] == '"' {
		return p.quoted()
	}
	for !p.atBlank() && (p.text[p.pos] != ',' || op == Matches) {
		p.rune()
	}
	if p.pos == from {
		back := from - 1 // underline the operator or comma that a value must follow
		return "", &Error{back, 1, fmt.Sprintf("A value must follow %q.", p.text[back:from]), ""}
	}
	return p.text[from:p.pos], nil
}

// compile adds a number to what the term tests, or returns the test of a text.
func (p *parser) compile(t *Term, info Info, value string, at int) (func(string) bool, *Error) {
	switch {
	case info.Type == IsTime:
		since, ok := info.instant(value, p.o.Now)
		if !ok {
			return nil, p.fail(at, "%q is no age and no date. Try since:2h or since:2026-11-30.", value)
		}
		t.since = since
		return nil, nil
	case info.Type != IsText:
		return nil, p.compileNumber(t, info, value, at)
	}
	return p.textTest(t.Op, info, value, at)
}

func (p *parser) compileNumber(t *Term, info Info, value string, at int) *Error {
	if s, ok := info.between(value); ok && !strings.ContainsAny(string(t.Op), "<>") {
		if s.lo > s.hi {
			return p.fail(at, "The range %s begins above its end.", value)
		}
		s.lo, s.hi = near(s.lo).lo, near(s.hi).hi
		t.number = append(t.number, s)
		return nil
	}
	x, ok := info.scalar(value)
	if !ok && info.Field == Errors && (value == "true" || value == "false") {
		s := span{lo: 0, hi: 1e18, loOpen: true}
		if value == "false" {
			s = near(0)
		}
		t.number = append(t.number, s)
		return nil
	}
	if !ok {
		return p.fail(at, "%q is no number that %s can be compared with. %s", value, info.Name, info.unitHint())
	}
	t.number = append(t.number, compare(t.Op, x))
	return nil
}

// unitHint says which units a number of the field may have.
func (i Info) unitHint() string {
	switch i.Type {
	case IsDuration:
		return "Units are ns, us, ms, s, m, h and d."
	case IsRatio:
		return "The unit may be %."
	}
	return "Units are k and M."
}

const infinity = 1.7e308

// compare is the range of numbers that are op x.
func compare(op Op, x float64) span {
	switch op {
	case Less:
		return span{lo: -infinity, hi: x, hiOpen: true}
	case LessEq:
		return span{lo: -infinity, hi: near(x).hi}
	case Greater:
		return span{lo: x, hi: infinity, loOpen: true}
	case GreaterEq:
		return span{lo: near(x).lo, hi: infinity}
	}
	return near(x)
}

// textTest returns the test of one value of a text field or an attribute.
func (p *parser) textTest(op Op, info Info, value string, at int) (func(string) bool, *Error) {
	if op == Matches {
		re, err := regexp.Compile(value)
		if err != nil {
			return nil, p.fail(at, "This is no RE2 expression: %s.", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return re.MatchString, nil
	}
	plain := func(s string) bool { return s == value }
	if op == Has {
		plain = contains(value)
	}
	if info.Field != Attribute {
		return plain, nil
	}
	return p.attributeTest(op, info, value, plain, at)
}

// attributeTest compares as numbers when both sides are.
func (p *parser) attributeTest(op Op, info Info, value string, plain func(string) bool, at int) (func(string) bool, *Error) {
	s, ok := info.between(value)
	ordered := strings.ContainsAny(string(op), "<>")
	if !ok || ordered {
		x, isNumber := info.scalar(value)
		if s, ok = compare(op, x), isNumber; !ok && ordered {
			return nil, p.fail(at, "%q is no number. Attributes are compared with numbers, units are k, M, %%, B, kB, MB and GB.", value)
		}
	}
	if !ok {
		return plain, nil
	}
	return func(text string) bool {
		if x, _, isNumber := number(text, nil); isNumber {
			return s.holds(x)
		}
		return !ordered && plain(text)
	}, nil
}
