package model

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// Ways to report tokens.
const (
	TokensNone      = "none"      // usage is null
	TokensFixed     = "fixed"     // the same numbers in every turn
	TokensEstimated = "estimated" // a token for every four bytes begun, of what was read and what was written
)

// Tokens says which usage an answer reports. An empty report is [TokensNone].
type Tokens struct {
	Report        string
	Input, Output int64 // of TokensFixed
}

// usage is what a turn reports: read is the bytes of text that the model was given.
func (t Tokens) usage(read int, output []responses.Item) *responses.Usage {
	switch t.Report {
	case TokensFixed:
		return responses.NewUsage(t.Input, t.Output)
	case TokensEstimated:
		written := 0
		for _, it := range output {
			written += len(it.Name()) + len(it.Arguments()) + len(it.Text())
		}
		return responses.NewUsage(tokensOf(read), tokensOf(written))
	}
	return nil
}

func tokensOf(bytes int) int64 { return int64(bytes+3) / 4 }

type tokensBlock struct {
	Report string `json:"report"` // estimated: a token for every four bytes of text begun, fixed, or none (default estimated)
	Input  int64  `json:"input"`  // of fixed, for every turn
	Output int64  `json:"output"` // of fixed, for every turn
}

func readTokens(block jsontext.Value, t *Tokens) error {
	b := tokensBlock{Report: t.Report}
	if err := readBlock("tokens", block, &b); err != nil {
		return err
	}
	*t = Tokens(b)
	return nil
}

func (t Tokens) check() error {
	switch t.Report {
	case "", TokensNone, TokensEstimated:
		return nil
	case TokensFixed:
		if t.Input < 0 || t.Output < 0 {
			return fmt.Errorf("tokens: input is %d and output is %d; neither may be negative", t.Input, t.Output)
		}
		return nil
	}
	return unknown("tokens: report", t.Report, TokensNone, TokensFixed, TokensEstimated)
}
