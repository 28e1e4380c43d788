package viewer_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/ingest"
)

// exported is what an export writes.
func exported(t *testing.T, o viewer.ExportOptions) string {
	t.Helper()
	var b bytes.Buffer
	o.Stdout = &b
	if _, err := viewer.Export(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Rollouts of which one process received the beginning and the next one the end are as whole as others.
func TestExport_acrossRestarts(t *testing.T) {
	f, err := ingest.OpenFile(demo)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	for i, line := range strings.SplitAfter(strings.TrimSpace(string(text)), "\n") {
		path := filepath.Join(t.TempDir(), "part.jsonl")
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := viewer.Start(t.Context(), viewer.Options{Data: data, Files: []string{path}})
		if err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
		if err := v.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []export.Table{export.Rollouts, export.TraceRow} {
		o := export.Options{Format: export.CSV, Table: table}
		want := exported(t, viewer.ExportOptions{Files: []string{demo}, Options: o})
		if got := exported(t, viewer.ExportOptions{Data: data, Options: o}); got != want {
			t.Errorf("%s are\n%s\nwant\n%s", table, got, want)
		}
	}
}

// What is received while a viewer runs is in an export the moment it was acknowledged.
func TestExport_whileRunning(t *testing.T) {
	data := t.TempDir()
	v, err := viewer.Start(t.Context(), viewer.Options{Data: data, Files: []string{demo}})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Shutdown(context.Background()) //nolint:errcheck // the test is over
	o := export.Options{Format: export.CSV}
	if got, want := exported(t, viewer.ExportOptions{Data: data, Options: o}), exported(t, viewer.ExportOptions{Files: []string{demo}, Options: o}); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
