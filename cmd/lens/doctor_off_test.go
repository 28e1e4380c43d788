//go:build lens_off

package main_test

import (
	"strings"
	"testing"
)

func TestDoctor_compiled_out(t *testing.T) {
	code, out, errs := lens(t, "doctor")
	if code != 1 || out != "" || !strings.Contains(errs, "lens_off") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
