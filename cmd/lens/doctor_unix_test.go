//go:build !lens_off && unix

package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that never answers holds nobody up.
func TestDoctor_never_hangs(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	r := examine(t, []string{"OTEL_EXPORTER_OTLP_CERTIFICATE=" + pipe}, "--timeout", "100ms")
	if f, ok := r.finding("stuck"); !ok || !strings.Contains(f.Text, "certificate") {
		t.Errorf("%+v", r.Findings)
	}
}
