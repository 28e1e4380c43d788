//go:build lens_off

package telemetry_test

import (
	"errors"
	"testing"

	"github.com/lensgo/lens/telemetry"
)

// Without telemetry there is nothing to explain, and that is said.
func TestExplain_compiled_out(t *testing.T) {
	x, err := telemetry.Explain(t.Context(), config())
	if !errors.Is(err, telemetry.ErrCompiledOut) || x == nil {
		t.Errorf("%v, %v", x, err)
	}
	if out := x.Probe(t.Context(), telemetry.SignalTraces); !errors.Is(out.Err, telemetry.ErrCompiledOut) {
		t.Errorf("%+v", out)
	}
	if _, err := telemetry.LookIntoSpool(t.TempDir()); !errors.Is(err, telemetry.ErrCompiledOut) {
		t.Error(err)
	}
}
