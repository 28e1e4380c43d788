package resource

import (
	"maps"

	"github.com/lensgo/lens/internal/envlist"
)

// Report says what is wrong with the attributes that a process hands to others. Keys come in the order in which they were asked
// for, duplicates in that of the text. The zero Report has nothing to say.
type Report struct {
	Missing    []string // required, and not there
	Empty      []string // required, and without text
	Forbidden  []string // there, and must not be
	Duplicates []string // there more than once: the last one counts
}

// OK reports whether nothing is wrong.
func (r Report) OK() bool {
	return len(r.Missing)+len(r.Empty)+len(r.Forbidden)+len(r.Duplicates) == 0
}

// Check looks at a text of the form that [Parse] reads: are the required keys there, and none that is forbidden, and each once?
func Check(text string, required, forbidden []string) Report {
	values := maps.Collect(envlist.Pairs(text))
	r := Report{Duplicates: Duplicates(text)}
	for _, key := range required {
		if value, there := values[key]; !there {
			r.Missing = append(r.Missing, key)
		} else if value == "" {
			r.Empty = append(r.Empty, key)
		}
	}
	for _, key := range forbidden {
		if _, there := values[key]; there {
			r.Forbidden = append(r.Forbidden, key)
		}
	}
	return r
}

// Duplicates returns the keys that a text of the form that [Parse] reads names more than once, each once.
func Duplicates(text string) (keys []string) {
	seen := map[string]int{}
	for key := range envlist.Pairs(text) {
		if seen[key]++; seen[key] == 2 {
			keys = append(keys, key)
		}
	}
	return keys
}
