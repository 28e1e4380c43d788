package eval

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/rollout"
)

// Missing is the same number wherever a summary says it, and the parts of the coverage are all of it.
func TestWrite_missing(t *testing.T) {
	for name, c := range map[string]struct {
		s    rollout.Summary
		line string
		rest string // what is said of those that are missing
	}{
		"all scored":  {rollout.Summary{Expected: 5, Scored: 3, Skipped: 2}, "expected 5, scored 5, missing 0", ""},
		"some failed": {rollout.Summary{Expected: 5, Scored: 2, Failed: 2, GivenUp: 1}, "expected 5, scored 2, failed 3, missing 0", ""},
		"cut short": {
			rollout.Summary{Expected: 9, Scored: 2, Skipped: 1, Failed: 1, Discarded: 1, Missing: 4},
			"expected 9, scored 3, failed 1, not to be kept 1, missing 4", "4 of 9 rollouts are missing; --resume runs them\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Result{Summary: &c.s}
			var text, doc bytes.Buffer
			if err := WriteText(&text, r); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "coverage   "+c.line+"\n") || !strings.Contains(text.String(), c.rest) ||
				c.rest == "" && strings.Contains(text.String(), "are missing") {
				t.Errorf("the text says\n%s\nwant %q and %q", &text, c.line, c.rest)
			}
			if err := WriteJSON(&doc, r, nil); err != nil {
				t.Fatal(err)
			}
			var got struct {
				Missing  int            `json:"missing"`
				Coverage map[string]int `json:"coverage"`
			}
			if err := json.Unmarshal(doc.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, n := range got.Coverage {
				sum += n
			}
			if got.Missing != c.s.Missing || got.Coverage["missing"] != c.s.Missing || sum != 2*c.s.Expected {
				t.Errorf("missing %d, coverage %v", got.Missing, got.Coverage)
			}
		})
	}
}
