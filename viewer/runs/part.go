package runs

import "time"

// Part says what a moment of a rollout was spent on.
type Part uint8

// The parts, in the order in which they are shown.
const (
	PartAdmission Part = iota // ready, but not admitted yet
	PartPool                  // a call waited for a connection
	PartModel                 // in a model server
	PartTools                 // in a route of a resources server, other than /verify and /seed_session
	PartVerify                // in /verify
	PartOther                 // the rest: agent, driver, wire, /seed_session
)

var partNames = [...]string{"admission", "pool", "model", "tools", "verify", "other"}

// String returns the name that a filter uses.
func (p Part) String() string { return partNames[p] }

// Split says how the total of a rollout divides; it is indexed by [Part]. Each moment belongs to one part.
type Split [6]time.Duration

// Total is the sum of the parts: wait for admission and duration of the root span.
func (s Split) Total() (sum time.Duration) {
	for _, d := range s {
		sum += d
	}
	return sum
}

// add adds another split.
func (s *Split) add(o Split) {
	for i, d := range o {
		s[i] += d
	}
}

// mean divides by n.
func (s Split) mean(n int) Split {
	for i := range s {
		if n > 0 {
			s[i] /= time.Duration(n)
		}
	}
	return s
}

// class is the part that a span's own work belongs to: a Part + 1, or that of its parent.
type class uint8

const inherit class = 0

func classOf(p Part) class { return class(p) + 1 }

// or is c, or that of the parent.
func (c class) or(parent class) class {
	if c == inherit {
		return parent
	}
	return c
}

func (c class) part() Part { return Part(c - 1) }
