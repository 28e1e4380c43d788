package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
