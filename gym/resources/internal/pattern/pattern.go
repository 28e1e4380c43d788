// Package pattern reads the regular expressions of Python's data sets, as far as RE2 can.
//
// Rows say how to find an answer by a regular expression that Python's re module was to run. Most of them mean the same in
// RE2, where one search takes time linear in its text whatever the row says ([Work] bounds many), but for what [Compile] rewrites: \d, \w and \s are of Unicode and
// not of ASCII, \Z is \z, \u00e9 is \x{e9}, {,3} is {0,3}, (?#...) is nothing. What RE2 cannot do at all, lookaround and
// backreferences above all, is an [UnsupportedError] that names it, because to pass over it in silence would score rows by
// another rule than the one that they give.
//
// Two differences are left. \b and \B know ASCII words only, and of a match that is followed by an empty one, as .* gives at
// the end of a text, Python sees the empty one as well.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"
)

// Flags are the flags of re.compile that are used.
type Flags uint8

// The flags.
const (
	IgnoreCase Flags = 1 << iota
	Multiline
	DotAll
)

// prefix is how RE2 is told.
func (f Flags) prefix() string {
	text := ""
	for i, letter := range []string{"i", "m", "s"} {
		if f&(1<<i) != 0 {
			text += letter
		}
	}
	if text == "" {
		return ""
	}
	return "(?" + text + ")"
}

// UnsupportedError says that a pattern has what Python's re knows and RE2 does not.
type UnsupportedError struct {
	Pattern string
	What    string // with its article: a lookahead
	Offset  int    // in bytes; -1 where the whole pattern is meant
}

func (e *UnsupportedError) Error() string {
	where := ""
	if e.Offset >= 0 {
		where = fmt.Sprintf(" at offset %d", e.Offset)
	}
	return fmt.Sprintf("the pattern %q has %s%s, which Go's regular expressions (RE2) do not have: write it without", e.Pattern, e.What, where)
}

// Pattern is a compiled expression. It is safe for concurrent use.
type Pattern struct {
	re     *regexp.Regexp
	behind *regexp.Regexp // re behind at least one character, as a group
	size   int            // of its program, in instructions
}

// Bounds of what a row may ask for: a pattern in bytes, and its program in instructions, of which a{1000} has a thousand.
const (
	maxText = 64 << 10
	maxSize = 20_000
)

// Compile reads an expression of Python. The error is an *[UnsupportedError], or says why the expression is none in Python
// either.
func Compile(python string, flags Flags) (*Pattern, error) {
	if len(python) > maxText {
		return nil, &UnsupportedError{Pattern: python[:100], What: fmt.Sprintf("%d bytes in all, of which this is the beginning", len(python)), Offset: -1}
	}
	text, err := translate(python)
	if err != nil {
		return nil, err
	}
	text = flags.prefix() + text
	p := &Pattern{}
	if p.size, err = sizeOf(text); err == nil && p.size > maxSize {
		return nil, tooLarge(python)
	}
	if err == nil {
		p.re, err = regexp.Compile(text)
	}
	if err == nil {
		p.behind, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + text + `)`)
	}
	if err != nil {
		return nil, refused(python, err)
	}
	return p, nil
}

// sizeOf counts the instructions of an expression's program.
func sizeOf(text string) (int, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

// refused is why package regexp does not take what an expression of Python was translated to.
func refused(python string, err error) error {
	bad, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return invalid(python, err.Error())
	}
	switch bad.Code {
	case syntax.ErrInvalidRepeatSize:
		return &UnsupportedError{Pattern: python, What: "a repeat of more than 1000 times, or one that is backwards", Offset: -1}
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return tooLarge(python)
	}
	return invalid(python, bad.Code.String())
}

func tooLarge(python string) error {
	return &UnsupportedError{Pattern: python, What: "more size or depth than is allowed", Offset: -1}
}

func invalid(python, why string) error {
	return fmt.Errorf("the pattern %q is no regular expression: %s", python, why)
}

// First returns the first match in text and its groups, those that took no part as "". ok is false when there is none.
func (p *Pattern) First(text string) (match []string, ok bool) {
	match = p.re.FindStringSubmatch(text)
	return match, match != nil
}

// All returns where all matches and their groups begin and end, as package regexp does.
func (p *Pattern) All(text string) [][]int { return p.re.FindAllStringSubmatchIndex(text, -1) }

// Must is Compile for expressions that are part of a program.
func Must(python string, flags Flags) *Pattern {
	p, err := Compile(python, flags)
	if err != nil {
		panic(err)
	}
	return p
}

// maxCached bounds how many patterns a Cache keeps. Data sets have a handful; one with a pattern a row has them compiled
// each time.
const maxCached = 1024

// Cache keeps compiled patterns. The zero value is ready, and safe for concurrent use.
type Cache struct {
	mu   sync.Mutex
	kept map[key]result
}

type key struct {
	python string
	flags  Flags
}

type result struct {
	pattern *Pattern
	err     error
}

// Compile is [Compile] for a pattern that comes again and again.
func (c *Cache) Compile(python string, flags Flags) (*Pattern, error) {
	k := key{python, flags}
	c.mu.Lock()
	r, there := c.kept[k]
	c.mu.Unlock()
	if there {
		return r.pattern, r.err
	}
	if r.pattern, r.err = Compile(python, flags); len(python) > maxText {
		return r.pattern, r.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxCached {
		c.kept = make(map[key]result)
	}
	c.kept[k] = r
	return r.pattern, r.err
}
