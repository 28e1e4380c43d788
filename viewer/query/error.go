package query

// Error says what is wrong with a query and where.
type Error struct {
	Offset, Length int    // the bytes to underline
	Reason         string // a sentence or two, to be shown as they are
	Nearest        string // the name that was most likely meant, or ""
}

// Error returns the sentences.
func (e *Error) Error() string { return e.Reason }
