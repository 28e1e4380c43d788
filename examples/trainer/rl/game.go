package rl

import (
	"math/rand/v2"

	"github.com/lensgo/lens/examples/trainer/train"
)

// Game has one move: of some actions one is right, which depends on the state in a way that the policy has to find out.
type Game struct {
	Inputs, Actions int
	secret          []float64
}

// NewGame makes the game of a seed.
func NewGame(inputs, actions int, seed uint64) *Game {
	g := &Game{Inputs: inputs, Actions: actions, secret: make([]float64, inputs*actions)}
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range g.secret {
		g.secret[i] = rng.NormFloat64()
	}
	return g
}

func (g *Game) state(rng *rand.Rand) []float64 {
	state := make([]float64, g.Inputs)
	for i := range state {
		state[i] = rng.NormFloat64()
	}
	return state
}

func (g *Game) right(state []float64) (best int) {
	most := 0.0
	for a := range g.Actions {
		sum := 0.0
		for i, v := range state {
			sum += g.secret[a*g.Inputs+i] * v
		}
		if a == 0 || sum > most {
			best, most = a, sum
		}
	}
	return best
}

// Examples are states that no step plays, with their right actions.
func (g *Game) Examples(n int, seed uint64) []train.Example {
	rng := rand.New(rand.NewPCG(seed, 2))
	examples := make([]train.Example, n)
	for i := range examples {
		state := g.state(rng)
		examples[i] = train.Example{Input: state, Action: g.right(state), Weight: 1}
	}
	return examples
}
