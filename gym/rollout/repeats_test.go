package rollout

import (
	"strings"
	"testing"
)

// JL-13: how often each row runs.
func TestPrepare_repeats(t *testing.T) {
	two := inputRows(1) + strings.ReplaceAll(inputRows(1), "simple_agent", "other_agent")
	for name, c := range map[string]struct {
		repeats int
		agents  map[string]int
		want    int // rollouts
		err     string
		note    string
	}{
		"none":               {0, nil, 2, "", ""},
		"three":              {3, nil, 6, "", ""},
		"below one":          {-1, nil, 0, "num_repeats is -1; it must be at least 1", ""},
		"of one agent":       {0, map[string]int{"simple_agent": 2}, 0, `num_repeats has no entry for "other_agent"; add one, or _default`, ""},
		"of both":            {0, map[string]int{"simple_agent": 2, "other_agent": 5}, 7, "", ""},
		"of all others":      {0, map[string]int{"_default": 3}, 6, "", ""},
		"of one, and others": {0, map[string]int{"_default": 3, "other_agent": 1}, 4, "", ""},
		"of nobody":          {0, map[string]int{"typo": 1, "_default": 1}, 2, "", `an entry for "typo", which no row names`},
		"of one below one":   {0, map[string]int{"_default": 1, "simple_agent": 0}, 0, "num_repeats of simple_agent is 0; it must be at least 1", ""},
		"both forms":         {2, map[string]int{"_default": 1}, 0, "a number and a mapping at once", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, two)
			f.o.Repeats, f.o.AgentRepeats = c.repeats, c.agents
			p, err := Prepare(f.o)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(p.Notes(), "\n"); p.Expected() != c.want || !strings.Contains(notes, c.note) || (notes == "") != (c.note == "") {
				t.Errorf("%d rollouts, notes %q; want %d, %q", p.Expected(), notes, c.want, c.note)
			}
			if s, err := p.Run(t.Context(), newAgent(t).client(t)); err != nil || s.Scored != c.want {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}
