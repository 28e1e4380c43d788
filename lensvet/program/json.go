package program

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the program as one indented JSON document.
func (p *Program) WriteJSON(w io.Writer) error { return writeJSON(w, p) }

// WriteJSON writes the resolution as one indented JSON document.
func (r Resolution) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // it is read by people too
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
