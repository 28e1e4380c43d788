package web

// Rows is a table, or a part of it.
type Rows[T any] struct {
	Rows    []T     `json:"rows"`
	Next    *string `json:"next"`
	Matched *int    `json:"matched,omitempty"`
	Total   *int    `json:"total"`
}

// List is a short list without pages.
type List[T any] struct {
	Rows []T `json:"rows"`
}

func cursorOf(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}
