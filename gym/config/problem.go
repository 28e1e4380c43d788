package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a configuration, and where.
type Problem struct {
	File         string // as it was given; empty when the problem belongs to no file
	Line, Column int    // from 1; 0 when the file could not be read at all
	Text         string // what is wrong and what would be right
	Err          error  // the cause, when there is one
}

// String is "file:line:column: text"; without a file, "line:column: text".
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ":")
	}
	if p.Line > 0 {
		b.WriteString(strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ":")
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(p.Text)
	return b.String()
}

// Error is everything that is wrong with a configuration, sorted by file, line and column.
type Error struct {
	Problems []Problem
}

// Error is one line for one problem; for several, a head line and one line each.
func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return "cannot load the configuration: " + e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cannot load the configuration, %d problems:", len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// Unwrap gives the causes, so that errors.Is finds fs.ErrNotExist.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, p := range e.Problems {
		if p.Err != nil {
			errs = append(errs, p.Err)
		}
	}
	return errs
}

// problems collects; the zero value is empty.
type problems struct {
	list []Problem
}

func (ps *problems) add(at position, format string, args ...any) {
	ps.list = append(ps.list, Problem{File: at.file, Line: at.line, Column: at.column, Text: fmt.Sprintf(format, args...)})
}

// err is nil when nothing was collected, else the sorted whole, each problem once.
func (ps *problems) err() error {
	if len(ps.list) == 0 {
		return nil
	}
	slices.SortStableFunc(ps.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Text, b.Text))
	})
	same := func(a, b Problem) bool { return a.String() == b.String() }
	return &Error{Problems: slices.CompactFunc(ps.list, same)}
}
