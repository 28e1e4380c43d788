// Package blackjack is the environment of that name: the model plays one hand against a dealer who draws to 17.
//
// The cards come from a shoe that never runs out, thirteen ranks, each as likely as the others. /reset deals two cards to
// both and shows the model its hand and the dealer's first card. The model says <action>hit</action> or
// <action>stand</action>, in any case and with any words around; without an action it stands. A hand above 21 is lost at
// once. After a stand the dealer draws below 17, and the higher hand wins: 1, 0 for a draw, -1. An ace counts 11, and 1
// where 11 would be too much. The info of the last step says result (win, draw, loss, bust), and both hands with their
// values.
//
// Rows need nothing beside responses_create_params. One with a seed, a whole number, is dealt the same cards each time, in
// all rollouts of the task: that is what a comparison of models, or of the rollouts of a group, wants.
//
//	{"responses_create_params":{"input":"Deal me in."},"seed":7}
package blackjack

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources/gymnasium"
	"github.com/lensgo/lens/gym/wire"
)

// Row is what a task may have beside responses_create_params.
type Row struct {
	Seed *int64 `json:"seed,omitzero"` // nil: other cards in each rollout
}

// table is one hand that is played.
type table struct {
	shoe           *rand.Rand
	player, dealer hand
}

// Build returns the server of a blackjack instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	return gymnasium.Build(in, logger, gymnasium.Environment[table, Row]{Reset: deal, Step: play})
}

// deal begins a hand.
func deal(_ context.Context, t *table, task gymnasium.Task[Row]) (gymnasium.Start, error) {
	seed := rand.Uint64()
	if s := task.Row.Seed; s != nil {
		seed = uint64(*s)
	}
	t.shoe = rand.New(rand.NewPCG(seed, 0))
	for range 2 {
		t.player = t.player.draw(t.shoe)
	}
	for range 2 {
		t.dealer = t.dealer.draw(t.shoe)
	}
	return gymnasium.Start{Observation: t.shown()}, nil
}

// shown is what the model sees.
func (t *table) shown() string {
	return "You hold " + t.player.String() + ", worth " + t.player.worth() + ". The dealer shows " + t.dealer[0] +
		". Say <action>hit</action> or <action>stand</action>."
}

var action = regexp.MustCompile(`(?i)<action>\s*(hit|stand)\s*</action>`)

// play does what the model says.
func play(_ context.Context, t *table, turn gymnasium.Turn[Row]) (gymnasium.Outcome, error) {
	if said := action.FindStringSubmatch(turn.Response.Text()); said != nil && strings.EqualFold(said[1], "hit") {
		t.player = t.player.draw(t.shoe)
		if t.player.value() <= 21 {
			return gymnasium.Outcome{Observation: t.shown()}, nil
		}
		return t.end("bust", -1), nil
	}
	for t.dealer.value() < 17 {
		t.dealer = t.dealer.draw(t.shoe)
	}
	player, dealer := t.player.value(), t.dealer.value()
	switch {
	case dealer > 21 || player > dealer:
		return t.end("win", 1), nil
	case player == dealer:
		return t.end("draw", 0), nil
	}
	return t.end("loss", -1), nil
}

// end is the last step of a hand.
func (t *table) end(result string, reward float64) gymnasium.Outcome {
	return gymnasium.Outcome{Reward: reward, Terminated: true, Info: map[string]any{
		"result": result,
		"player": t.player.String(), "player_value": t.player.value(),
		"dealer": t.dealer.String(), "dealer_value": t.dealer.value(),
	}}
}
