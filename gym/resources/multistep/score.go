package multistep

import (
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// Score is what /verify adds to its reply.
type Score struct {
	// Parsed is the list that the model handed in last, as it wrote it; empty when it handed none in, or something that
	// is no list.
	Parsed []jsontext.Value `json:"parsed_synonym_values"`
	// Accuracy says that the list is the expected one.
	Accuracy bool `json:"accuracy"`
	// Overlap is the part of the expected values that are in the list, in any order; 0 when nothing was expected.
	Overlap float64 `json:"set_overlap"`
	// MinefieldHit says that the list has the word to avoid, or its value.
	MinefieldHit bool `json:"original_term_minefield_hit"`
	// OrderFailure says that every value is there and the list is wrong all the same.
	OrderFailure bool `json:"order_instruction_following_failure"`
}

// NewScore compares the list that was handed in with what the row expects.
func NewScore(row Row, list []jsontext.Value) Score {
	s := Score{Parsed: list, Accuracy: len(list) == len(row.ExpectedSynonymValues)}
	handed := make(map[int]bool, len(list))
	for i, raw := range list {
		n, ok := whole(raw)
		if ok {
			handed[n] = true
		}
		if s.Accuracy && (!ok || n != row.ExpectedSynonymValues[i]) {
			s.Accuracy = false
		}
		if ok && n == row.MinefieldLabelValue || isText(raw, row.MinefieldLabel) {
			s.MinefieldHit = true
		}
	}
	s.Overlap = overlap(handed, row.ExpectedSynonymValues)
	s.OrderFailure = !s.Accuracy && s.Overlap == 1
	return s
}

// overlap counts each expected value once, and divides by the length of the list with its repeats, as Python does.
func overlap(handed map[int]bool, expected []int) float64 {
	if len(expected) == 0 {
		return 0
	}
	hits := make(map[int]bool, len(expected))
	for _, n := range expected {
		if handed[n] {
			hits[n] = true
		}
	}
	return float64(len(hits)) / float64(len(expected))
}

// submitted is the list of the last extract_synonym_values call. A call that cannot be read hands in nothing: a model
// that breaks its last call has earned 0, and no failed rollout.
func submitted(calls []responses.Item) []jsontext.Value {
	for _, call := range slices.Backward(calls) {
		if call.Name() != extractTool {
			continue
		}
		var arguments struct {
			Values []jsontext.Value `json:"synonym_values"`
		}
		if json.Unmarshal([]byte(call.Arguments()), &arguments) != nil || arguments.Values == nil {
			return []jsontext.Value{}
		}
		return arguments.Values
	}
	return []jsontext.Value{}
}

// whole returns the integer that raw is: 407, and also 407.0.
func whole(raw jsontext.Value) (int, bool) {
	if raw.Kind() != '0' {
		return 0, false
	}
	if n, err := strconv.Atoi(string(raw)); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// isText reports whether raw is the string text.
func isText(raw jsontext.Value, text string) bool {
	if raw.Kind() != '"' {
		return false
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return err == nil && string(b) == text
}
