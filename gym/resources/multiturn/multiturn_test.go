package multiturn

import (
	"testing"

	"github.com/lensgo/lens/gym/resources/gymnasium"
	"github.com/lensgo/lens/gym/responses"
)

func TestStep(t *testing.T) {
	for name, test := range map[string]struct {
		row    Row
		said   []string
		told   []string // after each but the last
		reward float64
	}{
		"found":                 {Row{[]string{"And a landmark?"}, "Eiffel"}, []string{"Paris", "The EIFFEL tower"}, []string{"And a landmark?"}, 1},
		"not found":             {Row{[]string{"And a landmark?"}, "Eiffel"}, []string{"Paris", "the Louvre"}, []string{"And a landmark?"}, 0},
		"the last answer":       {Row{[]string{"Again."}, "Eiffel"}, []string{"the Eiffel tower", "no"}, []string{"Again."}, 0},
		"no follow-up":          {Row{nil, "20"}, []string{"It is 20."}, nil, 1},
		"nothing is never said": {Row{[]string{"a", "b"}, ""}, []string{"x", "y", "z"}, []string{"a", "b"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var state said
			for i, text := range test.said {
				var turn gymnasium.Turn[Row]
				turn.Row = test.row
				turn.Response.SetOutput([]responses.Item{responses.OutputMessage("m", text)})
				out, err := step(t.Context(), &state, turn)
				if err != nil {
					t.Fatal(err)
				}
				if i < len(test.told) {
					if out.Terminated || out.Reward != 0 || out.Observation != test.told[i] {
						t.Errorf("after %q comes %+v, want %q", text, out, test.told[i])
					}
				} else if !out.Terminated || out.Reward != test.reward || out.Observation != "" {
					t.Errorf("after %q comes %+v, want the reward %v", text, out, test.reward)
				}
			}
		})
	}
}
