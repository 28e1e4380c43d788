package runs

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
)

// searches are the words of a query that are looked for in all texts, in the order in which it looks for them in each record.
type searches struct {
	list []search
	at   int
}

// search is what is known of a word from the records before: thousands have the same names in them.
type search struct {
	sets, teams, shapes memo
	hex                 [][]byte // as far as it may be in the id of a trace
}

func newSearches(q query.Query) (s searches) {
	for _, t := range q.Terms() {
		if t.Field != query.Text {
			continue
		}
		var x search
		for _, word := range t.Values {
			if word = strings.ToLower(word); strings.Trim(word, "0123456789abcdef") == "" {
				x.hex = append(x.hex, []byte(word))
			}
		}
		s.list = append(s.list, x)
	}
	return s
}

// inID tells whether the word is in the id of a trace. Most words cannot be, and an id is not made a text to see that.
func (x *search) inID(id *otlp.TraceID) bool {
	if len(x.hex) == 0 {
		return false
	}
	var text [32]byte
	hex.Encode(text[:], id[:])
	return slices.ContainsFunc(x.hex, func(word []byte) bool { return bytes.Contains(text[:], word) })
}

// begin is for a new record.
func (s *searches) begin() { s.at = 0 }

// next is for the next word.
func (s *searches) next() *search {
	s.at++
	return &s.list[s.at-1]
}

// memo remembers answers by number.
type memo []int8

func (m *memo) of(i uint32, ask func() bool) bool {
	if int(i) >= len(*m) {
		*m = append(*m, make(memo, int(i)+1-len(*m))...)
	}
	at := &(*m)[i]
	if *at == 0 {
		*at = -1
		if ask() {
			*at = 1
		}
	}
	return *at > 0
}
