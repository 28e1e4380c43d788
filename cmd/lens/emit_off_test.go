//go:build lens_off

package main_test

import (
	"strings"
	"testing"
)

func TestEmitSpans_compiled_out(t *testing.T) {
	code, out, errs := lens(t, "emit-spans", "--service", "job", "--span", "a,1,2")
	if code != 2 || out != "" || !strings.Contains(errs, "lens_off") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
