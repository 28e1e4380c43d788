package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// repeats is --num-repeats and num_repeats: a number, or a number for each agent.
type repeats struct {
	given  bool
	all    int
	agents map[string]int
}

var errRepeats = errors.New("it must be a number, or numbers by agent: agent=2,_default=3")

// problem says which number is too small.
func (r *repeats) problem() error {
	if r.given && r.agents == nil && r.all < 1 {
		return fmt.Errorf("--num-repeats is %d; it must be 1 or more", r.all)
	}
	for _, agent := range slices.Sorted(maps.Keys(r.agents)) {
		if n := r.agents[agent]; n < 1 {
			return fmt.Errorf("--num-repeats of %s is %d; it must be 1 or more", agent, n)
		}
	}
	return nil
}

// Set reads a flag.
func (r *repeats) Set(text string) error {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		*r = repeats{given: true, all: n}
		return nil
	}
	agents := map[string]int{}
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(text), "{}"), ",") {
		i := strings.LastIndexAny(part, "=:")
		if i < 0 {
			return errRepeats
		}
		n, err := strconv.Atoi(strings.TrimSpace(part[i+1:]))
		name := strings.TrimSpace(part[:i])
		if err != nil || name == "" {
			return errRepeats
		}
		agents[name] = n
	}
	*r = repeats{given: true, agents: agents}
	return nil
}

// String is for the help: nothing, whose meaning it says.
func (r *repeats) String() string {
	if r.all > 0 {
		return strconv.Itoa(r.all)
	}
	return ""
}

// Type is for the help.
func (r *repeats) Type() string { return "n" }

// UnmarshalJSONFrom reads the value of a configuration; null is nothing.
func (r *repeats) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	switch {
	case err != nil || v.Kind() == 'n':
		return err
	case v.Kind() == '0' && json.Unmarshal(v, &r.all) == nil, v.Kind() == '{' && json.Unmarshal(v, &r.agents) == nil && len(r.agents) > 0:
		r.given = true
		return nil
	}
	return errRepeats
}
