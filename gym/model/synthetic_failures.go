package model

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Failures says how often, and how, an answer goes wrong.
type Failures struct {
	Rate  float64
	Kinds []FailureKind // each as likely as any other; must not be empty when Rate is above 0
}

// FailureKind is one way to go wrong: an HTTP status, or a status of 0 and one of the names below.
type FailureKind struct {
	Status int
	Name   string
}

// Names of failures that are answers with status 200.
const (
	MalformedArguments = "malformed_arguments" // the last tool call of the turn has arguments that are not JSON
	Empty              = "empty"               // a message without text and no tool call
)

// draw picks the failure of one turn, if it has one.
func (f Failures) draw(turn digest) (FailureKind, bool) {
	if turn.unit("failure") >= f.Rate {
		return FailureKind{}, false
	}
	return f.Kinds[turn.index("failure.kind", len(f.Kinds))], true
}

type failuresBlock struct {
	Rate  float64          `json:"rate"`  // share of turns that fail, from 0 to 1
	Kinds []jsontext.Value `json:"kinds"` // each equally often: a status from 400 to 599, malformed_arguments, empty (default all of 429, 500, 503, malformed_arguments, empty)
}

// allFailures is what fails with a rate and no kinds.
var allFailures = []FailureKind{{Status: 429}, {Status: 500}, {Status: 503}, {Name: MalformedArguments}, {Name: Empty}}

func readFailures(block jsontext.Value, f *Failures) error {
	var b failuresBlock
	if err := readBlock("failures", block, &b); err != nil {
		return err
	}
	f.Rate = b.Rate
	if b.Kinds == nil && b.Rate > 0 {
		f.Kinds = allFailures
	}
	for _, v := range b.Kinds {
		var k FailureKind
		if json.Unmarshal(v, &k.Status) != nil && json.Unmarshal(v, &k.Name) != nil {
			return fmt.Errorf("failures: kinds: %s is neither a status code nor a name", v)
		}
		f.Kinds = append(f.Kinds, k)
	}
	return nil
}

func (f Failures) check() error {
	errs := []error{checkRate("failures: rate", f.Rate)}
	if f.Rate > 0 && len(f.Kinds) == 0 {
		errs = append(errs, fmt.Errorf("failures: rate is %v and kinds is empty; name at least one kind", f.Rate))
	}
	for _, k := range f.Kinds {
		errs = append(errs, k.check())
	}
	return errors.Join(errs...)
}

func (k FailureKind) check() error {
	switch {
	case k.Name == "" && k.Status >= 400 && k.Status <= 599:
		return nil
	case k.Name == "":
		return fmt.Errorf("failures: kinds: %d is no status of a failure; it must be from 400 to 599", k.Status)
	case k.Status == 0 && (k.Name == MalformedArguments || k.Name == Empty):
		return nil
	}
	return unknown("failures: kinds", k.Name, "a status code", MalformedArguments, Empty)
}
