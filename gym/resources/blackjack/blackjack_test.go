package blackjack

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/resources/gymnasium"
	"github.com/lensgo/lens/gym/responses"
)

func TestHandValue(t *testing.T) {
	for cards, want := range map[string]int{
		"2 3": 5, "10 J": 20, "Q K": 20, "A K": 21, "A A": 12, "A 9 A": 21, "A 9 A A": 12, "A A A A": 14, "K Q 2": 22, "A K Q": 21, "A A K Q": 22,
	} {
		if got := hand(strings.Fields(cards)).value(); got != want {
			t.Errorf("%s is worth %d, want %d", cards, got, want)
		}
	}
}

func turn(text string) (t gymnasium.Turn[Row]) {
	t.Response.SetOutput([]responses.Item{responses.OutputMessage("m", text)})
	return t
}

func start(t *testing.T, seed *int64) (table, string) {
	t.Helper()
	var s table
	begun, err := deal(t.Context(), &s, gymnasium.Task[Row]{Row: Row{Seed: seed}})
	if err != nil {
		t.Fatal(err)
	}
	return s, begun.Observation
}

// The cards of a seed are part of what a data set means: they must not change with a version of this program.
func TestSeed(t *testing.T) {
	for seed, want := range map[int64]string{
		0:  "You hold [4, 10], worth 14. The dealer shows 6. Say <action>hit</action> or <action>stand</action>.",
		1:  "You hold [9, 3], worth 12. The dealer shows J. Say <action>hit</action> or <action>stand</action>.",
		-7: "You hold [3, Q], worth 13. The dealer shows Q. Say <action>hit</action> or <action>stand</action>.",
	} {
		s, got := start(t, &seed)
		again, shown := start(t, &seed)
		if got != want || shown != want || again.dealer.String() != s.dealer.String() || again.shoe.Uint64() != s.shoe.Uint64() {
			t.Errorf("seed %d deals %q and %q, want %q", seed, got, shown, want)
		}
	}
	seen := map[string]bool{}
	for range 64 {
		_, shown := start(t, nil)
		seen[shown] = true
	}
	if len(seen) < 2 {
		t.Errorf("64 deals without a seed are all %v", seen)
	}
}

func TestPlay(t *testing.T) {
	cards := func(text string) hand { return strings.Fields(text) }
	for name, test := range map[string]struct {
		player, dealer string
		said           string
		result         string // "" goes on
		reward         float64
	}{
		"win":                    {"10 9", "10 8", "<action>stand</action>", "win", 1},
		"draw":                   {"10 8", "9 9", "I stay. <ACTION> Stand </ACTION>", "draw", 0},
		"loss":                   {"10 7", "10 8", "<action>stand</action>", "loss", -1},
		"nothing said":           {"10 7", "10 8", "Done.", "loss", -1},
		"another action":         {"10 7", "10 8", "<action>split</action>", "loss", -1},
		"the first one counts":   {"10 7", "10 8", "<action>stand</action> or <action>hit</action>", "loss", -1},
		"the dealer is at 17":    {"10 8", "A 6", "<action>stand</action>", "win", 1},
		"bust":                   {"K Q J", "10 8", "<action>hit</action>", "bust", -1},
		"a hit that is no bust":  {"2 2", "10 8", "let me see... <Action>\nhit </action>", "", 0},
		"an ace leaves room":     {"A A", "10 8", "<action>hit</action>", "", 0},
		"the dealer is over 21":  {"2 2", "K 6 K", "<action>stand</action>", "win", 1},
		"the dealer draws to 17": {"K A", "2 2", "<action>stand</action>", "", 0}, // looked at below
	} {
		t.Run(name, func(t *testing.T) {
			s := table{shoe: rand.New(rand.NewPCG(1, 0)), player: cards(test.player), dealer: cards(test.dealer)}
			out, err := play(t.Context(), &s, turn(test.said))
			if err != nil {
				t.Fatal(err)
			}
			if name == "the dealer draws to 17" {
				if v := s.dealer.value(); v < 17 || len(s.dealer) < 3 || !out.Terminated {
					t.Errorf("the dealer has %v, worth %d", s.dealer, v)
				}
				return
			}
			if got, _ := out.Info["result"].(string); got != test.result || out.Reward != test.reward || out.Terminated != (test.result != "") {
				t.Errorf("got %+v, want %s with %v", out, test.result, test.reward)
			}
			if test.result == "" {
				if out.Observation != s.shown() || !strings.Contains(out.Observation, s.player.String()) {
					t.Errorf("the model sees %q", out.Observation)
				}
				return
			}
			if out.Info["player"] != s.player.String() || out.Info["player_value"] != s.player.value() || out.Info["dealer_value"] != s.dealer.value() {
				t.Errorf("info is %v", out.Info)
			}
		})
	}
}
