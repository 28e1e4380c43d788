package terminal

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSONFrom reads a note as the API writes it: [row, text].
func (n *note) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var pair []jsontext.Value
	if err := json.UnmarshalDecode(d, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a note has %d parts, want a row number and a text", len(pair))
	}
	if err := json.Unmarshal(pair[0], &n.row); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &n.text)
}
