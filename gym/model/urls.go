package model

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// URLs are one URL or a list of them.
type URLs []string

// UnmarshalJSONFrom reads a string or a list of strings; null is none.
func (u *URLs) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if responses.IsNull(v) {
		*u = nil
		return nil
	}
	if text, ok := responses.Text(v); ok {
		*u = URLs{text}
		return nil
	}
	list, ok := responses.Elements(v)
	if !ok {
		return errors.New("it must be a URL or a list of URLs")
	}
	*u = make(URLs, 0, len(list))
	for _, e := range list {
		text, ok := responses.Text(e)
		if !ok {
			return errors.New("it must be a URL or a list of URLs")
		}
		*u = append(*u, text)
	}
	return nil
}
