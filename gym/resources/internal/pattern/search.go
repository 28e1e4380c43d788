package pattern

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// ErrTooMuch says that a search was given up, because it took more than the Work that it was given.
var ErrTooMuch = errors.New("looking for it in this text takes too long")

// maxWork is what the searches of one request may take: a second or two in the worst case, a thousand times what they take in
// the usual one.
const maxWork = 1 << 28

// Work is what the searches of one request may still take. One search is linear in its text and in the size of its pattern,
// whatever these are; but the last of many matches is found by as many searches, each of which may look to the end of the
// text, and both text and pattern are somebody else's. It is not safe for concurrent use.
type Work struct {
	ctx  context.Context
	left int64
}

// NewWork returns the bound for one request, which also ends with ctx.
func NewWork(ctx context.Context) *Work { return &Work{ctx: ctx, left: maxWork} }

// stepCost is what a character costs beside the instructions that look at it.
const stepCost = 40

// Take takes n steps, each of a few nanoseconds at most.
func (w *Work) Take(n int) error {
	if w.left -= int64(n); w.left < 0 {
		return ErrTooMuch
	}
	return nil
}

// Last returns the last match in text and its groups, those that took no part as "". ok is false when there is none. The
// error is [ErrTooMuch], or that the context of w has ended.
func (p *Pattern) Last(w *Work, text string) (match []string, ok bool, err error) {
	var last []int
	for pos, before := 0, -1; pos <= len(text); { // as package regexp finds all matches
		found, err := p.from(w, text, pos)
		if err != nil {
			return nil, false, err
		}
		if found == nil {
			break
		}
		empty := found[1] == pos
		if !empty || found[0] != before { // an empty one right behind another is none
			last = found
		}
		before, pos = found[1], found[1]
		if empty {
			_, width := utf8.DecodeRuneInString(text[pos:])
			pos += max(width, 1)
		}
	}
	if last == nil {
		return nil, false, nil
	}
	for i := 0; i < len(last); i += 2 {
		group := ""
		if last[i] >= 0 {
			group = text[last[i]:last[i+1]]
		}
		match = append(match, group)
	}
	return match, true, nil
}

// from finds the first match at or behind pos, as pairs of offsets in text.
func (p *Pattern) from(w *Work, text string, pos int) ([]int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return nil, fmt.Errorf("cannot look for a pattern: %w", err)
	}
	re, begin := p.re, 0
	if pos > 0 { // the character before pos is read along, for what looks at it: ^, \b
		_, width := utf8.DecodeLastRuneInString(text[:pos])
		re, begin = p.behind, pos-width
	}
	r := &runes{text: text[begin:], size: p.size, work: w}
	found := re.FindReaderSubmatchIndex(r)
	if r.err != nil {
		return nil, r.err
	}
	if found != nil && pos > 0 {
		found = found[2:] // the match is a group of p.behind
		for i := range found {
			if found[i] >= 0 {
				found[i] += begin
			}
		}
	}
	return found, nil
}

// runes reads a text for a search, and takes the work that each character of it is. Where there is no more, the text ends.
type runes struct {
	text string
	size int // of the pattern
	read int
	work *Work
	err  error
}

func (r *runes) ReadRune() (c rune, size int, err error) {
	if r.err == nil {
		r.err = r.work.Take(stepCost + r.size)
	}
	if r.read++; r.err == nil && r.read%1024 == 0 && r.work.ctx.Err() != nil {
		r.err = fmt.Errorf("cannot look for a pattern: %w", context.Cause(r.work.ctx))
	}
	if r.err != nil || r.text == "" {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRuneInString(r.text)
	r.text = r.text[size:]
	return c, size, nil
}
