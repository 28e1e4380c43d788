// Package multiturn is the environment example_multi_turn_gymnasium: a conversation whose user has a script.
//
// A row has what the user says after each answer of the model, and what the last answer must hold:
//
//	{"responses_create_params":{"input":"Capital of France?"},"follow_ups":["Name a landmark."],"expected_answer":"Eiffel"}
//
// Each step gives the next follow-up. After the last one the episode is over, and the reward is 1 when the expected text
// is in the model's answer, whatever its case, else 0. The agent's max_steps must leave room: one step more than there are
// follow-ups. An expected answer that is empty is never found.
package multiturn

import (
	"context"
	"log/slog"
	"strings"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/resources/gymnasium"
	"github.com/lensgo/lens/gym/wire"
)

// Row is what a task has beside responses_create_params. Both members are required.
type Row struct {
	FollowUps      []string `json:"follow_ups"`
	ExpectedAnswer string   `json:"expected_answer"`
}

// said is how many follow-ups the model has read.
type said int

// Build returns the server of an example_multi_turn_gymnasium instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	return gymnasium.Build(in, logger, gymnasium.Environment[said, Row]{Step: step})
}

func step(_ context.Context, n *said, t gymnasium.Turn[Row]) (gymnasium.Outcome, error) {
	if int(*n) < len(t.Row.FollowUps) {
		*n++
		return gymnasium.Outcome{Observation: t.Row.FollowUps[*n-1]}, nil
	}
	want := t.Row.ExpectedAnswer
	found := want != "" && strings.Contains(strings.ToLower(t.Response.Text()), strings.ToLower(want))
	return gymnasium.Outcome{Reward: resources.Reward(found), Terminated: true}, nil
}
