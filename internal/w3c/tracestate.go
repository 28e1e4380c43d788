package w3c

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

const (
	// MaxMembers is how many members a list may have. One more, and the whole list is dropped.
	MaxMembers = 32

	maxKey   = 256
	maxValue = 256
)

// Tracestate is an ordered list of members, the newest first. It holds the text that goes out, so keeping it costs
// nothing, writing it costs nothing, and two lists are equal when they are ==.
type Tracestate struct {
	text string // "key=value,key=value", no blanks around commas, no empty members, no key twice
}

// ParseTracestate reads the header lines in their order, as one list. Blanks and tabs around members and empty members
// do not count. A key that comes again is left out, the first one stays (the newest is first). Any other breach of the
// grammar is an error, and the whole list is lost, as the specification demands; so are more than [MaxMembers], counted
// as they came.
func ParseTracestate(lines ...string) (Tracestate, error) {
	var p listParser
	for _, line := range lines {
		if err := p.add(line); err != nil {
			return Tracestate{}, fmt.Errorf("cannot read tracestate: %w", err)
		}
	}
	return Tracestate{p.text()}, nil
}

// listParser collects members. As long as what came is already the text that goes out, it only remembers where it ends.
type listParser struct {
	keys  [MaxMembers]string
	count int // members that came, repeated ones too
	kept  int

	line string // the first line, while everything kept lies in it without a gap
	from int
	to   int
	b    *strings.Builder // else
}

func (p *listParser) add(line string) error {
	for pos := 0; pos <= len(line); {
		end := pos + strings.IndexByte(line[pos:], ',')
		if end < pos {
			end = len(line)
		}
		if err := p.member(line, pos, end); err != nil {
			return err
		}
		pos = end + 1
	}
	return nil
}

func (p *listParser) member(line string, from, to int) error {
	for from < to && blank(line[from]) {
		from++
	}
	for from < to && blank(line[to-1]) {
		to--
	}
	if from == to {
		return nil
	}
	if p.count++; p.count > MaxMembers {
		return fmt.Errorf("it has more than %d members", MaxMembers)
	}
	key, value, ok := strings.Cut(line[from:to], "=")
	switch {
	case !ok:
		return fmt.Errorf("member %q has no equals sign", clip(line[from:to]))
	case !ValidKey(key):
		return fmt.Errorf("key %q is not a lower-case letter or digit and up to %d of a-z 0-9 _ - * / @",
			clip(key), maxKey-1)
	case !ValidValue(value):
		return fmt.Errorf("value %q of key %q is not 1 to %d printable ASCII characters without comma and equals sign",
			clip(value), clip(key), maxValue)
	}
	if slices.Contains(p.keys[:p.kept], key) {
		return nil
	}
	p.keys[p.kept] = key
	p.keep(line, from, to)
	p.kept++
	return nil
}

// keep takes line[from:to] in: as part of one slice of the line while it adjoins, else by copying.
func (p *listParser) keep(line string, from, to int) {
	switch {
	case p.kept == 0:
		p.line, p.from, p.to = line, from, to
	case p.b == nil && p.adjoins(line, from):
		p.to = to
	default:
		if p.b == nil {
			p.b = new(strings.Builder)
			p.b.WriteString(p.line[p.from:p.to])
		}
		p.b.WriteByte(',')
		p.b.WriteString(line[from:to])
	}
}

// adjoins says whether line[from:] comes right after what was kept, over one comma. Two lines may be equal texts; then
// the members of the second are all repeated ones, and the question does not come up.
func (p *listParser) adjoins(line string, from int) bool {
	return len(line) == len(p.line) && p.to+1 == from && line == p.line
}

func (p *listParser) text() string {
	if p.b != nil {
		return p.b.String()
	}
	return p.line[p.from:p.to]
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// ValidKey says whether s may be a key: a lower-case letter or a digit, then up to 255 of these and of "_-*/@".
func ValidKey(s string) bool {
	if s == "" || len(s) > maxKey || !alphanumeric(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case alphanumeric(c), c == '_', c == '-', c == '*', c == '/', c == '@':
		default:
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// ValidValue says whether s may be a value: 1 to 256 printable ASCII characters without comma and equals sign, of which
// the last is no blank.
func ValidValue(s string) bool {
	if s == "" || len(s) > maxValue || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return true
}

// String is the header value; the empty list gives "".
func (t Tracestate) String() string { return t.text }

// Empty says whether the list has no members.
func (t Tracestate) Empty() bool { return t.text == "" }

// Len counts the members.
func (t Tracestate) Len() int {
	if t.text == "" {
		return 0
	}
	return strings.Count(t.text, ",") + 1
}

// All yields key and value of each member, in order.
func (t Tracestate) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := t.text; rest != ""; {
			var member string
			member, rest, _ = strings.Cut(rest, ",")
			if key, value, _ := strings.Cut(member, "="); !yield(key, value) {
				return
			}
		}
	}
}

// Get gives the value of key. It allocates nothing.
func (t Tracestate) Get(key string) (string, bool) {
	for k, v := range t.All() {
		if k == key {
			return v, true
		}
	}
	return "", false
}

// With gives the list with key=value in front, where the specification wants what was changed last; an older member of
// that key goes, and so does the last member when there would be more than [MaxMembers]. It gives t as it is when key or
// value are not valid.
func (t Tracestate) With(key, value string) Tracestate {
	if !ValidKey(key) || !ValidValue(value) {
		return t
	}
	var b Builder
	b.Add(key, value)
	for k, v := range t.All() {
		b.Add(k, v)
	}
	return b.Tracestate()
}

// Without gives the list without the member of key.
func (t Tracestate) Without(key string) Tracestate {
	if _, ok := t.Get(key); !ok {
		return t
	}
	var b Builder
	for k, v := range t.All() {
		if k != key {
			b.Add(k, v)
		}
	}
	return b.Tracestate()
}

// Builder puts a list together, member by member, first one first. The zero value is ready; it is for one goroutine.
type Builder struct {
	text  strings.Builder
	keys  [MaxMembers]string
	count int
}

// Add appends a member. It leaves out, and says so with false, a key that is there already, one that has no room any
// more, and what breaks the grammar.
func (b *Builder) Add(key, value string) bool {
	if b.count == MaxMembers || !ValidKey(key) || !ValidValue(value) {
		return false
	}
	if slices.Contains(b.keys[:b.count], key) {
		return false
	}
	b.keys[b.count] = key
	if b.count++; b.count > 1 {
		b.text.WriteByte(',')
	}
	b.text.WriteString(key)
	b.text.WriteByte('=')
	b.text.WriteString(value)
	return true
}

// Tracestate is the list so far.
func (b *Builder) Tracestate() Tracestate { return Tracestate{b.text.String()} }
