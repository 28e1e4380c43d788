package rollout

import (
	"bytes"
	"fmt"
	"strings"
)

// maxProblems bounds how many bad rows an error spells out.
const maxProblems = 50

// RowError is one row that cannot be used.
type RowError struct {
	File string
	Line int
	Text string // what is wrong and what would be right
}

// RowsError is every row of a file that cannot be used. Rows holds the first of them, Total counts all.
type RowsError struct {
	File  string
	Rows  []RowError
	Total int
}

// Error is a head line and one line for each row, file:line: text.
func (e *RowsError) Error() string {
	var b strings.Builder
	noun := "rows"
	if e.Total == 1 {
		noun = "row"
	}
	fmt.Fprintf(&b, "cannot use %s: %d bad %s:", e.File, e.Total, noun)
	for _, r := range e.Rows {
		fmt.Fprintf(&b, "\n  %s:%d: %s", r.File, r.Line, r.Text)
	}
	if more := e.Total - len(e.Rows); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

func (e *RowsError) add(number int, text string) {
	e.Total++
	if len(e.Rows) < maxProblems {
		e.Rows = append(e.Rows, RowError{File: e.File, Line: number, Text: text})
	}
}

// err is nil while nothing was added.
func (e *RowsError) err() error {
	if e.Total == 0 {
		return nil
	}
	return e
}

// notJSON says why a line is no JSON object, with a hint for what other writers call JSON.
func notJSON(text []byte, err error) string {
	hint := ""
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
		hint = " (NaN and Infinity are not JSON; write null, or leave the member out)"
	}
	return fmt.Sprintf("%v%s", err, hint)
}
