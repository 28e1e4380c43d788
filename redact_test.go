package lens_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

// TestRedact has the eight keys of section 3.5, AT-05 with its decision, and what must stay readable.
func TestRedact(t *testing.T) {
	for _, tt := range []struct {
		key  string
		want bool
	}{
		{"prompt", true}, {"input_text", true}, {"output_text", true}, {"text", true},
		{"password", true}, {"token", true}, {"secret", true}, {"key", true},

		{"PASSWORD", true}, {"Token", true}, {"api_key", true}, {"API-KEY", true}, {"X-Api-Key", true},
		{"Authorization", true}, {"proxy-authorization", true}, {"cookie", true}, {"Set-Cookie", true},
		{"http.request.header.authorization", true}, {"openai.api_key", true}, {"aws.secret_access_key", true},

		{"max_tokens", false}, {"total_tokens", false}, {"max_output_tokens", false}, {"gen_ai.usage.input_tokens", false},
		{"tokens", false}, {"tokenizer", false}, {"gen_ai.token.type", false}, {"cache.key", false}, {"ui.text", false},
		{"user.prompt", false}, {"keys", false}, {"passwords", false}, {"monkey", false}, {"api_key_id", false},
		{"authorization.result", false}, {"", false}, {".", false}, {"api_key.", false}, {"ｐassword", false},
		{strings.Repeat("x", 1000) + ".", false}, {strings.Repeat("x", 70), false}, {strings.Repeat("x", 24), false},
	} {
		if got := lens.Redact(tt.key, "v") == "[REDACTED]"; got != tt.want {
			t.Errorf("Redact(%q) redacts: %t", tt.key, got)
		}
		if !tt.want && lens.Redact(tt.key, "v") != "v" {
			t.Errorf("Redact(%q) changes the value", tt.key)
		}
	}
}

func TestRedactKeys(t *testing.T) {
	keys := lens.RedactKeys()
	for _, k := range []string{"prompt", "input_text", "output_text", "text", "password", "token", "secret", "key", "api_key", "authorization"} {
		if !slices.Contains(keys, k) {
			t.Errorf("%s is missing", k)
		}
	}
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
		t.Errorf("not sorted, or twice: %q", keys)
	}
	for _, k := range keys {
		if lens.Redact(k, "v") == "v" || lens.Redact(strings.ToUpper(strings.ReplaceAll(k, "_", "-")), "v") == "v" {
			t.Errorf("%s is listed and not redacted", k)
		}
	}
	keys[0] = "spoilt"
	if slices.Contains(lens.RedactKeys(), "spoilt") {
		t.Error("the list is not a copy")
	}
}

func BenchmarkRedact(b *testing.B) {
	for name, key := range map[string]string{"plain": "nemo.gym.rollout.id", "sensitive": "http.request.header.authorization"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lens.Redact(key, "v")
			}
		})
	}
}
