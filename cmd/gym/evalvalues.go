package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/rollout"
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

// concurrency is --concurrency and num_samples_in_parallel: a number, or auto with a bound.
type concurrency struct {
	n    int // 0: the default
	auto bool
}

var errConcurrency = errors.New("it must be a number, auto, or auto:n for at most n")

// problem says that the number is too small.
func (c *concurrency) problem() error {
	if c.n < 0 {
		return fmt.Errorf("--concurrency is %d; it must be 1 or more, or 0 for 1024", c.n)
	}
	return nil
}

// Set reads a flag.
func (c *concurrency) Set(text string) error {
	bound, auto := strings.CutPrefix(text, "auto")
	if auto && bound == "" {
		*c = concurrency{auto: true}
		return nil
	}
	if auto {
		if bound, auto = strings.CutPrefix(bound, ":"); !auto {
			return errConcurrency
		}
	}
	n, err := strconv.Atoi(bound)
	if err != nil || auto && n < 1 {
		return errConcurrency
	}
	*c = concurrency{n, auto}
	return nil
}

// String is for the help: nothing, whose meaning it says.
func (c *concurrency) String() string {
	if c.n > 0 {
		return strconv.Itoa(c.n)
	}
	return ""
}

// Type is for the help.
func (c *concurrency) Type() string { return "n" }

// UnmarshalJSONFrom reads the value of a configuration; null is nothing.
func (c *concurrency) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil || v.Kind() == 'n' {
		return err
	}
	if v.Kind() != '"' {
		return c.Set(string(v))
	}
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return err
	}
	return c.Set(text)
}

// rows puts what chooses and makes rows into the options.
func (f *evalFlags) rows(o *rollout.Options) (err error) {
	if o.Shard, err = f.shardOf(); err != nil {
		return err
	}
	o.Output = o.Shard.Output(o.Output)
	o.Repeats, o.AgentRepeats = f.repeats.all, f.repeats.agents
	o.Concurrency, o.Adapt = f.workers.n, f.workers.auto
	if f.prompt != "" {
		o.Prompt, err = rollout.ReadPrompt(config.Find(f.config.searchDirs, f.prompt))
	}
	return err
}

// shardOf is the shard that the flag names, or what runs this process.
func (f *evalFlags) shardOf() (rollout.Shard, error) {
	if f.shard != "" {
		return rollout.ParseShard(f.shard)
	}
	s, from, err := rollout.ShardFromEnv(os.Getenv)
	if err == nil && s.Count > 1 {
		fmt.Fprintf(os.Stderr, "This is shard %s, by %s; --shard 0/1 runs everything.\n", s, from)
	}
	return s, err
}
