package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/lensgo/lens/examples/trainer/train/telemetry"
)

// Model is a network with one hidden layer that gives a probability to each of some actions. Not safe for concurrent use.
type Model struct {
	Inputs, Hidden, Actions int
	Weights                 []float64

	grad   []float64
	layers []layer
}

// NewModel makes a model with random weights, the same for one seed on every worker.
func NewModel(inputs, hidden, actions int, seed uint64) *Model {
	m := &Model{Inputs: inputs, Hidden: hidden, Actions: actions, Weights: make([]float64, inputs*hidden+hidden*actions)}
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range m.Weights {
		m.Weights[i] = rng.NormFloat64() / math.Sqrt(float64(inputs))
	}
	m.connect()
	return m
}

// connect makes the layers, which are views into the weights.
func (m *Model) connect() {
	m.grad = make([]float64, len(m.Weights))
	first := m.Inputs * m.Hidden
	m.layers = []layer{
		{number: 0, in: m.Inputs, out: m.Hidden, w: m.Weights[:first], grad: m.grad[:first], bend: true},
		{number: 1, in: m.Hidden, out: m.Actions, w: m.Weights[first:], grad: m.grad[first:]},
	}
}

// check tells what is wrong with a model that was read from a file.
func (m *Model) check() error {
	if want := m.Inputs*m.Hidden + m.Hidden*m.Actions; min(m.Inputs, m.Hidden, m.Actions) < 1 || len(m.Weights) != want {
		return fmt.Errorf("it has %d weights, and %d inputs, %d hidden and %d actions want %d", len(m.Weights), m.Inputs, m.Hidden, m.Actions, want)
	}
	return nil
}

// Probabilities gives, for each input, the probability of each action.
func (m *Model) Probabilities(ctx context.Context, inputs [][]float64) [][]float64 {
	values := inputs
	for i := range m.layers {
		values = m.layers[i].forward(ctx, values)
	}
	for _, row := range values {
		softmax(row)
	}
	return values
}

// backward adds the gradient of what Probabilities gave last.
func (m *Model) backward(ctx context.Context, slopes [][]float64) {
	for i := len(m.layers) - 1; i >= 0; i-- {
		slopes = m.layers[i].backward(ctx, slopes)
	}
}

func softmax(row []float64) {
	sum := 0.0
	for i, v := range row {
		row[i] = math.Exp(v)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}

// layer is a matrix, and a tanh behind it if it bends.
type layer struct {
	number, in, out int
	w, grad         []float64
	bend            bool
	xs, ys          [][]float64 // of the last forward pass
}

func (l *layer) forward(ctx context.Context, xs [][]float64) [][]float64 {
	_, span := telemetry.Layer.Start(ctx, "trainer.layer")
	defer span.End()
	span.Int("layer", l.number).Str("direction", "forward")
	ys := make([][]float64, len(xs))
	for n, x := range xs {
		ys[n] = make([]float64, l.out)
		for o := range l.out {
			for i, v := range x {
				ys[n][o] += l.w[o*l.in+i] * v
			}
			if l.bend {
				ys[n][o] = math.Tanh(ys[n][o])
			}
		}
	}
	l.xs, l.ys = xs, ys
	return ys
}

func (l *layer) backward(ctx context.Context, slopes [][]float64) [][]float64 {
	_, span := telemetry.Layer.Start(ctx, "trainer.layer")
	defer span.End()
	span.Int("layer", l.number).Str("direction", "backward")
	below := make([][]float64, len(slopes))
	for n, slope := range slopes {
		below[n] = make([]float64, l.in)
		for o, s := range slope {
			if l.bend {
				s *= 1 - l.ys[n][o]*l.ys[n][o]
			}
			for i, x := range l.xs[n] {
				l.grad[o*l.in+i] += s * x
				below[n][i] += s * l.w[o*l.in+i]
			}
		}
	}
	return below
}
