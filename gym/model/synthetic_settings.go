package model

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SyntheticSettings is the block of a synthetic_model instance. [DefaultSyntheticSettings] has the defaults; the zero value
// makes no mistakes, does not wait, does not fail and reports no tokens.
type SyntheticSettings struct {
	Seed        int64   // part of every draw
	Model       string  // name in the answers; empty: the request's, else "synthetic"
	MistakeRate float64 // share of tasks in which one slot is dropped or swapped
	Latency     Latency
	Failures    Failures
	Tokens      Tokens
}

// DefaultSyntheticSettings makes a mistake in a quarter of all tasks and takes about as long as a small model does.
func DefaultSyntheticSettings() SyntheticSettings {
	return SyntheticSettings{
		MistakeRate: 0.25,
		Latency:     Latency{Distribution: LogNormal, Median: 40 * time.Millisecond, Sigma: 0.5},
		Tokens:      Tokens{Report: TokensEstimated},
	}
}

// The block as it stands in the configuration. The implementation's mapping also holds keys of the server (host, port,
// ...), so unknown keys are refused in the nested blocks only.
type syntheticBlock struct {
	Seed        *int64         `json:"seed"`         // part of every draw (default 0)
	Model       string         `json:"model"`        // name in the answers (default the request's, else synthetic)
	MistakeRate *float64       `json:"mistake_rate"` // share of tasks in which one slot is dropped or swapped, from 0 to 1 (default 0.25)
	Latency     jsontext.Value `json:"latency"`      // how long an answer takes
	Failures    jsontext.Value `json:"failures"`     // how often, and how, an answer goes wrong
	Tokens      jsontext.Value `json:"tokens"`       // what usage says
}

// ParseSyntheticSettings reads the block over the defaults. Its error lists everything that is wrong.
func ParseSyntheticSettings(block jsontext.Value) (SyntheticSettings, error) {
	s := DefaultSyntheticSettings()
	if len(block) == 0 {
		return s, nil
	}
	var b syntheticBlock
	if err := json.Unmarshal(block, &b); err != nil {
		return s, fmt.Errorf("cannot read the settings of a synthetic_model: %w", err)
	}
	s.Model = b.Model
	if b.Seed != nil {
		s.Seed = *b.Seed
	}
	if b.MistakeRate != nil {
		s.MistakeRate = *b.MistakeRate
	}
	err := errors.Join(
		readLatency(b.Latency, &s.Latency),
		readFailures(b.Failures, &s.Failures),
		readTokens(b.Tokens, &s.Tokens),
	)
	if err := errors.Join(err, s.check()); err != nil {
		return s, fmt.Errorf("cannot use the settings of a synthetic_model: %w", err)
	}
	return s, nil
}

// readBlock reads a nested block over what v holds; absent and null leave it as it is.
func readBlock(name string, block jsontext.Value, v any) error {
	if len(block) == 0 || block.Kind() == 'n' {
		return nil
	}
	if err := json.Unmarshal(block, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// check lists what is wrong with the settings.
func (s SyntheticSettings) check() error {
	return errors.Join(
		checkRate("mistake_rate", s.MistakeRate),
		s.Latency.check(),
		s.Failures.check(),
		s.Tokens.check(),
	)
}

func checkRate(name string, rate float64) error {
	if rate >= 0 && rate <= 1 {
		return nil
	}
	return fmt.Errorf("%s is %v; it must be from 0 to 1", name, rate)
}

func unknown(name, value string, known ...string) error {
	return fmt.Errorf("%s is %q; it must be one of %s", name, value, strings.Join(known, ", "))
}
