package export_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/ingest"
)

// left lists what is in a folder.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func create(t *testing.T, path string, force bool) *export.File {
	t.Helper()
	f, err := export.Create(path, force)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFile(t *testing.T) {
	for _, name := range []string{"out.csv", "out.csv.gz", "out.csv.zst"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		f := create(t, path, false)
		if _, err := io.WriteString(f, strings.Repeat("text\n", 1000)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("the file is there before it is whole")
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		f.Abort() // does nothing any more
		r, err := ingest.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || string(text) != strings.Repeat("text\n", 1000) {
			t.Errorf("%s: read %d bytes, %v", name, len(text), err)
		}
		r.Close()
		info, err := os.Stat(path)
		if err != nil || name != "out.csv" && info.Size() > 500 {
			t.Errorf("%s is not compressed, or not there: %v", name, err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want that of the data folder's files", name, info.Mode())
		}
		if names := left(t, dir); len(names) != 1 {
			t.Errorf("the folder has %q", names)
		}
	}
}

func TestFile_abort(t *testing.T) {
	dir := t.TempDir()
	f := create(t, filepath.Join(dir, "out.csv.zst"), false)
	io.WriteString(f, "half") //nolint:errcheck // it is thrown away
	f.Abort()
	f.Abort()
	if names := left(t, dir); len(names) > 0 {
		t.Errorf("the folder has %q", names)
	}
}

func TestFile_there(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := export.Create(path, false); err == nil || !strings.Contains(err.Error(), "it is there already; --force replaces it") {
		t.Errorf("error %v", err)
	}
	f := create(t, path, true)
	io.WriteString(f, "new") //nolint:errcheck // read back below
	if got := readFile(t, path); got != "old" {
		t.Errorf("before it is whole the file has %q", got)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if got := readFile(t, path); err != nil || got != "new" || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the file has %q and mode %v", got, info.Mode())
	}
	for _, bad := range []string{dir, filepath.Join(dir, "missing", "out.csv")} {
		if _, err := export.Create(bad, true); err == nil || !strings.Contains(err.Error(), "cannot write "+bad) {
			t.Errorf("error %v", err)
		}
	}
	if names := left(t, dir); len(names) != 1 {
		t.Errorf("the folder has %q", names)
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]export.Format{
		"": export.OTLPJSON, "a.jsonl": export.OTLPJSON, "a.json": export.OTLPJSON, "x/a.csv": export.CSV, "a.csv.zst": export.CSV, "a.pb.gz": export.OTLPProto, "a.binpb": export.OTLPProto,
	} {
		if got := export.FormatOf(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
