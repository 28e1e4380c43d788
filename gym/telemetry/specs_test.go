//go:build !lens_off

package telemetry

import (
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

func TestSpecs(t *testing.T) {
	for _, c := range []struct {
		spec    string
		enabled string
		pending string
	}{
		{"default,sandbox", "http_client job rollout sandbox server startup", ""},
		{" DEFAULT , Sandbox ", "http_client job rollout sandbox server startup", ""},
		{"verify,model_call", "model_call verify", ""},
		{"per_rollout,-server", "agent http_client model_call rollout verify", ""},
		{"tool_call", "", "tool_call"},
		{"step", "", "step"},
		{"", "", ""},
		{" , ", "", ""},
	} {
		enabled, pending := lens.Resolve(c.spec)
		if e, p := strings.Join(enabled, " "), strings.Join(pending, " "); e != c.enabled || p != c.pending {
			t.Errorf("%q: %q and pending %q, want %q and %q", c.spec, e, p, c.enabled, c.pending)
		}
	}
}
