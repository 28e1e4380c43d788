//go:build lens_off && unix

package main_test

import (
	"os"
	"strings"
	"testing"
)

// A build without telemetry runs the command all the same, and its trace passes through.
func TestExec_compiled_out(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const ref = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	code, out, errs := execSelf(t, "fail", []string{"TRACEPARENT=" + ref}, "", path)
	if code != 7 || !strings.Contains(out, "TRACEPARENT="+ref) || !strings.Contains(errs, "lens_off") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if code, _, _ := execSelf(t, "fail", nil, "", "--strict", path); code != 2 {
		t.Errorf("--strict: exit code %d", code)
	}
}
