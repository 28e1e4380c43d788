//go:build !lens_off

package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources/singletoolcall"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/lenstest"
)

// mute is a model that fails.
type mute struct{}

func (mute) Respond(context.Context, *model.Request) (*wire.Reply, error) {
	return nil, errors.New("no answer")
}

// TestRunMetrics: /run is measured under any spec, a run that fails among them; what is refused is none.
func TestRunMetrics(t *testing.T) {
	for name, c := range map[string]struct {
		model model.Responder
		row   string
		runs  uint64
		fails bool
	}{
		"a run":              {turns{quoting}, `{` + asked + `}`, 1, false},
		"a run that fails":   {mute{}, `{` + asked + `}`, 1, true},
		"a row that is none": {turns{quoting}, `{}`, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := lenstest.Metrics(t)
			g := start(t, singletoolcall.Build, c.model)
			if _, err := g.run(t.Context(), t, c.row); (err != nil) != c.fails {
				t.Fatal(err)
			}
			g.stop() // a run's end comes after its answer
			if p := m.Point("gym.rollout.duration_ms", ""); p.Count != c.runs || (p.Value > 0) != (c.runs > 0) {
				t.Errorf("durations: %v, want %d", p, c.runs)
			}
		})
	}
}
