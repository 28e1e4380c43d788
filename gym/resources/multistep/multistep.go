// Package multistep is the environment example_multi_step: several tool calls that build on each other.
//
// The model is given words. For each it calls get_synonym_value(synonym), which answers the sum of the word's code
// points, and then hands all values to extract_synonym_values(synonym_values) in the order of the words. A row has the
// words, their values, and one further word, the minefield, whose value must not be among them:
//
//	{"id":0,"expected_synonyms":["Warm"],"expected_synonym_values":[407],"minefield_label":"Hot","minefield_label_value":299,
//	 "responses_create_params":{"input":[...],"tools":[...],"parallel_tool_calls":false}}
//
// The reward is 1 when the list of the last extract_synonym_values call is exactly the expected one, else 0. What
// /verify adds tells near misses apart: see [Score]. The score is a function of the request, so a rollout may be
// verified again at any time.
package multistep

import (
	"context"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/wire"
)

// extractTool is the call that verification looks at.
const extractTool = "extract_synonym_values"

type synonymInput struct {
	Synonym string `json:"synonym"`
}

type synonymValue struct {
	Value int `json:"synonym_value"`
}

type extractInput struct {
	Values []int `json:"synonym_values"`
}

type extracted struct {
	Success bool `json:"success"`
}

// Row is what a task has beside responses_create_params. All members are required.
type Row struct {
	ID                    int      `json:"id"`
	ExpectedSynonyms      []string `json:"expected_synonyms"`
	ExpectedSynonymValues []int    `json:"expected_synonym_values"`
	MinefieldLabel        string   `json:"minefield_label"`
	MinefieldLabelValue   int      `json:"minefield_label_value"`
}

// Build returns the server of an example_multi_step instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyStateless)
	resources.Tool(s, "get_synonym_value", func(_ context.Context, _ resources.Call, in synonymInput) (synonymValue, error) {
		return synonymValue{Value: Value(in.Synonym)}, nil
	})
	resources.Tool(s, extractTool, func(context.Context, resources.Call, extractInput) (extracted, error) {
		return extracted{Success: true}, nil
	})
	resources.Verify(s, func(_ context.Context, v resources.Verification[Row]) (float64, Score, error) {
		score := NewScore(v.Row, submitted(v.Calls()))
		return resources.Reward(score.Accuracy), score, nil
	})
	return s.Build()
}

// Value is the value of a word: the sum of its code points.
func Value(word string) int {
	sum := 0
	for _, r := range word {
		sum += int(r)
	}
	return sum
}
