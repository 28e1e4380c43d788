package metrics

import (
	"sync"

	"github.com/lensgo/lens/semconv"
)

// labels are the attributes of one sample. They are an array so that they can be the key of a map, and cost no memory.
type labels [5]label

// label is one attribute; without a key it is none.
type label struct {
	key    string
	text   string
	number int64
	isText bool
}

func text(key, value string) label     { return label{key: key, text: value, isText: true} }
func number(key string, n int64) label { return label{key: key, number: n} }
func optional(key, value string) label { // none when the value is empty
	if value == "" {
		return label{}
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
