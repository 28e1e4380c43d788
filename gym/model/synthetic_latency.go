package model

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Distributions of [Latency].
const (
	NoLatency = "none"
	Constant  = "constant"
	Uniform   = "uniform"
	LogNormal = "lognormal"
)

// Latency says how long an answer takes. An empty distribution is [NoLatency].
type Latency struct {
	Distribution string
	Constant     time.Duration // of Constant
	Min, Max     time.Duration // of Uniform
	Median       time.Duration // of LogNormal
	Sigma        float64       // of LogNormal: the standard deviation of the logarithm
}

// longestWait bounds the tail of a distribution.
const longestWait = 10 * time.Minute

// draw picks the wait of one turn, in whole microseconds.
func (l Latency) draw(turn digest) time.Duration {
	var wait float64
	switch l.Distribution {
	case Constant:
		wait = float64(l.Constant)
	case Uniform:
		wait = float64(l.Min) + turn.unit("latency")*float64(l.Max-l.Min)
	case LogNormal:
		wait = float64(l.Median) * math.Exp(l.Sigma*turn.normal("latency"))
	}
	return time.Duration(min(wait, float64(longestWait))).Truncate(time.Microsecond)
}

type latencyBlock struct {
	Distribution string  `json:"distribution"` // lognormal, constant, uniform or none (default lognormal)
	ConstantMS   float64 `json:"constant_ms"`  // of constant
	MinMS        float64 `json:"min_ms"`       // of uniform
	MaxMS        float64 `json:"max_ms"`       // of uniform
	MedianMS     float64 `json:"median_ms"`    // of lognormal (default 40)
	Sigma        float64 `json:"sigma"`        // of lognormal: the standard deviation of the logarithm (default 0.5)
}

func readLatency(block jsontext.Value, l *Latency) error {
	b := latencyBlock{
		Distribution: l.Distribution,
		MedianMS:     milliseconds(l.Median),
		Sigma:        l.Sigma,
	}
	if err := readBlock("latency", block, &b); err != nil {
		return err
	}
	*l = Latency{
		Distribution: b.Distribution,
		Constant:     duration(b.ConstantMS),
		Min:          duration(b.MinMS),
		Max:          duration(b.MaxMS),
		Median:       duration(b.MedianMS),
		Sigma:        b.Sigma,
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// duration is exact to the nanosecond; what does not fit is cut, and no wait is that long.
func duration(ms float64) time.Duration {
	limit := milliseconds(longestWait) * 1000
	return time.Duration(max(-limit, min(ms, limit)) * float64(time.Millisecond))
}

func (l Latency) check() error {
	switch l.Distribution {
	case "", NoLatency:
		return nil
	case Constant:
		return checkWait("constant_ms", l.Constant)
	case Uniform:
		if l.Min > l.Max {
			return fmt.Errorf("latency: min_ms is %v, above max_ms, which is %v", milliseconds(l.Min), milliseconds(l.Max))
		}
		return errors.Join(checkWait("min_ms", l.Min), checkWait("max_ms", l.Max))
	case LogNormal:
		if !(l.Sigma >= 0 && l.Sigma <= 5) {
			return fmt.Errorf("latency: sigma is %v; it must be from 0 to 5", l.Sigma)
		}
		return checkWait("median_ms", l.Median)
	}
	return unknown("latency: distribution", l.Distribution, NoLatency, Constant, Uniform, LogNormal)
}

func checkWait(name string, d time.Duration) error {
	if d >= 0 && d <= longestWait {
		return nil
	}
	return fmt.Errorf("latency: %s is %v; it must be from 0 to %v", name, milliseconds(d), milliseconds(longestWait))
}
