//go:build linux && !lens_off

package fleet_test

import (
	"testing"

	"github.com/lensgo/lens/gym/fleet"
)

func TestForeignSpec(t *testing.T) {
	for spec, want := range map[string]string{
		"":                       "",
		"default":                "default",
		" Default , theirs":      " Default , theirs",
		"default,-job":           "http_client,rollout,server,startup",
		"all,- sandbox":          "agent,http_client,job,model_call,rollout,server,startup,verify",
		"server,theirs,-nothing": "server,theirs",
	} {
		if got := fleet.ForeignSpec(spec); got != want {
			t.Errorf("%q comes to %q, want %q", spec, got, want)
		}
	}
}
