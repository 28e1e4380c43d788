package metrics

import (
	"sync"

	"github.com/lensgo/lens/semconv"
)

// Label is one attribute of what is recorded: it tells one series of a metric from another. Make it with [Str], [Int] or
// [Bool]; the zero Label is none. There are no labels of other types: a series for each floating-point number has no end.
type Label struct {
	key    string
	text   string
	number int64
	kind   labelKind
}

type labelKind uint8

const (
	labelText labelKind = iota
	labelNumber
	labelBool
)

// Str makes a label of text. Bytes that are not UTF-8 are replaced when it is written.
func Str(key, value string) Label { return Label{key: key, text: value} }

// Int makes a label of an integer.
func Int(key string, value int) Label { return number(key, int64(value)) }

// Bool makes a label that is true or false.
func Bool(key string, value bool) Label {
	l := Label{key: key, kind: labelBool}
	if value {
		l.number = 1
	}
	return l
}

// labels are the attributes of one sample. They are an array so that they can be the key of a map, and cost no memory.
type labels [5]Label

func text(key, value string) Label     { return Str(key, value) }
func number(key string, n int64) Label { return Label{key: key, number: n, kind: labelNumber} }
func optional(key, value string) Label { // none when the value is empty
	if value == "" {
		return Label{}
	}
	return text(key, value)
}

// vocabulary bounds values that somebody else makes up: the first ones that are words pass.
type vocabulary struct {
	mu    sync.RWMutex
	known map[string]bool
}

const (
	mostWords  = 100 // of a vocabulary
	mostLetter = 80  // of a word
)

// word returns value when it is one of the vocabulary's words or becomes one, "" for "", else "other".
func (v *vocabulary) word(value string) string {
	if value == "" {
		return ""
	}
	v.mu.RLock()
	known := v.known[value]
	v.mu.RUnlock()
	if known {
		return value
	}
	return v.learn(value)
}

func (v *vocabulary) learn(value string) string {
	if !isWord(value) {
		return semconv.Other
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= mostWords {
		return semconv.Other
	}
	if v.known == nil {
		v.known = map[string]bool{}
	}
	v.known[value] = true
	return value
}

// lexicon bounds the labels of a group: of each key the first values pass.
type lexicon struct {
	mu    sync.RWMutex
	known map[Label]bool
	count map[string]int // of values, by key
}

const (
	mostKeys  = 32  // of a group's labels
	mostValue = 128 // bytes of a label's text
)

// bound makes a value that is one too many into "other", and reports whether l can be a label at all.
func (x *lexicon) bound(l *Label) bool {
	if l.key == "" {
		return false
	}
	x.mu.RLock()
	known := x.known[*l]
	x.mu.RUnlock()
	return known || x.learn(l)
}

func (x *lexicon) learn(l *Label) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n, known := x.count[l.key]
	switch {
	case x.known[*l]: // another goroutine was first
		return true
	case !known && len(x.count) >= mostKeys:
		return false
	case n >= mostWords || len(l.text) > mostValue:
		*l = Str(l.key, semconv.Other)
		return true
	}
	if x.known == nil {
		x.known, x.count = map[Label]bool{}, map[string]int{}
	}
	x.known[*l] = true
	x.count[l.key] = n + 1
	return true
}

// isWord reports whether s has the form [A-Za-z_][A-Za-z0-9_.:-]{0,79}: the Python system's, and what joins a prefix to the kind
// of failure that follows.
func isWord(s string) bool {
	if s == "" || len(s) > mostLetter {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		inner := '0' <= c && c <= '9' || c == '.' || c == ':' || c == '-'
		if !letter && (i == 0 || !inner) {
			return false
		}
	}
	return true
}
