package responses_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

// The tokens of a turn are all there or not at all; empty lists are there.
func TestParseCreateParams_tokens(t *testing.T) {
	_, err := responses.ParseCreateParams(golden.Read(t, "testdata", "llm-token-bundle-partial.request.json"))
	var fields responses.FieldErrors
	if !errors.As(err, &fields) || len(fields) != 1 || fields[0].Type != "missing" ||
		!strings.Contains(err.Error(), "body.input.1.generation_log_probs: Field required") {
		t.Errorf("error %v, want a missing generation_log_probs", err)
	}
	for _, tt := range []struct{ name, members, want string }{
		{"none", `"x":1`, ""},
		{"all null", `"prompt_token_ids":null,"generation_token_ids":null,"generation_log_probs":null`, ""},
		{"all empty", `"prompt_token_ids":[],"generation_token_ids":[],"generation_log_probs":[]`, ""},
		{"all", `"prompt_token_ids":[1],"generation_token_ids":[2],"generation_log_probs":[-0.5],"routed_experts":"AA=="`, ""},
		{"one null", `"prompt_token_ids":[1],"generation_token_ids":[2],"generation_log_probs":null`, "generation_log_probs: Field required"},
		{"only log probabilities", `"generation_log_probs":[]`, "prompt_token_ids: Field required"},
		{"a text", `"prompt_token_ids":"x","generation_token_ids":[],"generation_log_probs":[]`, "prompt_token_ids: Input should be a valid list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := responses.ParseCreateParams([]byte(`{"input":[{"role":"assistant","content":"a",` + tt.members + `}]}`))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
