package query

import "strings"

// Op is an operator.
type Op string

// The operators; "" in a search.
const (
	Has       Op = ":"
	Equal     Op = "="
	NotEqual  Op = "!="
	Less      Op = "<"
	LessEq    Op = "<="
	Greater   Op = ">"
	GreaterEq Op = ">="
	Matches   Op = "~"
)

// Term is one condition of a query.
type Term struct {
	Offset, Length int // where it stands, with its "-"
	Negated        bool
	Field          Field
	Key            string // of an attribute
	Op             Op
	Values         []string // as typed, without quotes; one of them is enough

	text   func(string) bool // of text fields, attributes and searches
	number []span            // of number fields
	since  float64           // of Since: the earliest start
}

// span is a range of numbers; loOpen and hiOpen leave out the end.
type span struct {
	lo, hi         float64
	loOpen, hiOpen bool
}

func (s span) holds(x float64) bool {
	return (x > s.lo || x == s.lo && !s.loOpen) && (x < s.hi || x == s.hi && !s.hiOpen)
}

// match tells whether the record satisfies the term, before its "-".
func (t *Term) match(r Record) bool {
	switch {
	case t.Field == Text:
		return r.Search(t.text)
	case t.Field == Since:
		x, ok := r.Number(Since)
		return ok && x >= t.since
	case t.Field == Attribute:
		return r.Attribute(t.Key, t.text) != (t.Op == NotEqual)
	case t.number != nil:
		x, ok := r.Number(t.Field)
		return (ok && t.holds(x)) != (t.Op == NotEqual)
	}
	return r.Text(t.Field, t.text) != (t.Op == NotEqual)
}

func (t *Term) holds(x float64) bool {
	for _, s := range t.number {
		if s.holds(x) {
			return true
		}
	}
	return false
}

// String returns the term as it could have been typed.
func (t *Term) String() string {
	var b strings.Builder
	if t.Negated {
		b.WriteByte('-')
	}
	b.WriteString(t.Field.String())
	b.WriteString(t.Key)
	b.WriteString(string(t.Op))
	for i, v := range t.Values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(v))
	}
	return b.String()
}

// quoted puts a value in quotes. All values may stand in them: numbers are read in quotes too.
func quoted(v string) string {
	plain := v != ""
	for i := range len(v) {
		c := v[i]
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '/' || c == '-' && i > 0)
	}
	if plain {
		return v
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}
