package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWatched shows that a slip in a key is noted, and what may be meant for somebody else is not.
func TestWatched(t *testing.T) {
	write(t, map[string]string{"a.yaml": "m:\n  responses_api_models:\n    x:\n      entrypoint: app.py\n      rates: 1\n      dataset: []\n" +
		"      rate: 2\n      shared: 3\n      quite_other: 4\n      port: 0\n"})
	type common struct {
		Shared int `json:"shared"`
	}
	in, strangers := mustLoad(t, Overrides{}, "a.yaml").Instance("m").Watched()
	for _, v := range []any{&struct {
		common
		Rate int `json:"rate,omitempty"`
	}{}, new(map[string]any)} {
		if err := in.DecodeSettings(v); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{`a.yaml:5:7: m: x does not read rates; did you mean "rate"?`, `a.yaml:6:7: m: x does not read dataset; did you mean "datasets"?`}
	if diff := cmp.Diff(want, strangers()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if _, strangers := (&Instance{Name: "by hand"}).Watched(); strangers() != nil {
		t.Error("an instance without a file has notes")
	}
}
