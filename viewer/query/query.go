package query

import "strings"

// Query is a parsed filter. The zero value matches everything.
type Query struct {
	terms []Term
}

// Empty tells whether the query matches everything.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Terms returns the parts of the query; the slice must not be changed.
func (q Query) Terms() []Term { return q.terms }

// Match tells whether a record satisfies every term.
func (q Query) Match(r Record) bool {
	for i := range q.terms {
		if q.terms[i].match(r) == q.terms[i].Negated {
			return false
		}
	}
	return true
}

// String returns the query as it could have been typed; parsed again it means the same.
func (q Query) String() string {
	var b strings.Builder
	for i := range q.terms {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(q.terms[i].String())
	}
	return b.String()
}
