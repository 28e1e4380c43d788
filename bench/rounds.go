package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Sample is what one run of a case measured, by the name of the measure.
type Sample map[string]float64

// Case is one of the things that are compared.
type Case struct {
	Name string
	Run  func(context.Context) (Sample, error)
}

// Result holds the samples of some rounds. It is not changed once Interleave has returned it.
type Result struct {
	rounds []map[string]Sample // by case
}

// Interleave runs all cases once in each round, each round in another order. The first error ends it.
func Interleave(ctx context.Context, rounds int, cases []Case) (Result, error) {
	var r Result
	order := rand.New(rand.NewPCG(1, uint64(rounds)))
	for range rounds {
		round := map[string]Sample{}
		for _, i := range order.Perm(len(cases)) {
			if err := context.Cause(ctx); err != nil {
				return r, err
			}
			s, err := cases[i].Run(ctx)
			if err != nil {
				return r, fmt.Errorf("%s: %w", cases[i].Name, err)
			}
			round[cases[i].Name] = s
		}
		r.rounds = append(r.rounds, round)
	}
	return r, nil
}

// Of is a measure of a case, over the rounds. A round without it is left out; without any the Spread is empty.
func (r Result) Of(name, measure string) Spread {
	var all []float64
	for _, round := range r.rounds {
		if v, ok := round[name][measure]; ok {
			all = append(all, v)
		}
	}
	return SpreadOf(all)
}

// Ratio is a measure of a case by that of the base in the same round, over the rounds.
func (r Result) Ratio(name, base, measure string) Spread {
	var all []float64
	for _, round := range r.rounds {
		a, have := round[name][measure]
		b, haveBase := round[base][measure]
		if have && haveBase && b != 0 {
			all = append(all, a/b)
		}
	}
	return SpreadOf(all)
}

// Added is what a case costs more than the base, by what another one costs more than it in the same round, over the rounds.
func (r Result) Added(name, other, base, measure string) Spread {
	var all []float64
	for _, round := range r.rounds {
		a, have := round[name][measure]
		b, haveOther := round[other][measure]
		c, haveBase := round[base][measure]
		if have && haveOther && haveBase && b != c {
			all = append(all, (a-c)/(b-c))
		}
	}
	return SpreadOf(all)
}
