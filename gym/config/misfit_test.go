package config

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// picky reads itself.
type picky struct{}

func (*picky) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	_, err := dec.ReadValue()
	return errors.Join(err, errors.New("it must be auto"))
}

// TestDecodeSettings_misfit shows that a value of another type is told with its place and with what would be right, and without what
// stands there.
func TestDecodeSettings_misfit(t *testing.T) {
	for block, want := range map[string]string{
		"rate: s3cret":         "a.yaml:5:13: m: rate must be a number, and is a text",
		"steps: 1.5":           "a.yaml:5:14: m: steps must be a whole number, and is another number",
		"steps: {a: 1}":        "a.yaml:5:14: m: steps must be a whole number, and is a mapping",
		"run: {words: [a, 7]}": "a.yaml:5:24: m: run.words.1 must be a text, and is a number",
		"run: 7":               "a.yaml:5:12: m: run must be a mapping, and is a number",
		"on: [true]":           "a.yaml:5:11: m: on must be true or false, and is a list",
		"picky: s3cret":        "a.yaml:5:14: m: picky does not fit: it must be auto",
	} {
		t.Run(block, func(t *testing.T) {
			write(t, map[string]string{"a.yaml": "m:\n  responses_api_models:\n    x:\n      entrypoint: app.py\n      " + block + "\n"})
			in := mustLoad(t, Overrides{}, "a.yaml").Instance("m")
			var s struct {
				Rate  *float64 `json:"rate"`
				Steps uint16   `json:"steps"`
				On    bool     `json:"on"`
				Picky picky    `json:"picky"`
				Run   struct {
					Words []string `json:"words"`
				} `json:"run"`
			}
			if err := in.DecodeSettings(&s); err == nil || err.Error() != "cannot load the configuration: "+want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}
