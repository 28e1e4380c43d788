package durable_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/internal/durable"
)

// saying writes a text that is larger than any buffer.
func saying(word string) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		_, err := w.WriteString(strings.Repeat(word, 1<<17))
		return err
	}
}

var errHalf = errors.New("no more")

// half writes a part and fails.
func half(w *bufio.Writer) error { return errors.Join(saying("x")(w), errHalf) }

// check tells what a folder must hold: the first letter of each file, by name.
func check(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("the folder holds %v", entries)
	}
	for name, word := range want {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(text) != strings.Repeat(word, 1<<17) {
			t.Errorf("%s has %d bytes, not those of %q: %v", name, len(text), word, err)
		}
	}
}

func TestReplace(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "for", "it")
	path := filepath.Join(folder, "file")
	if err := durable.Replace(path, saying("a")); err != nil {
		t.Fatal(err)
	}
	check(t, folder, map[string]string{"file": "a"})
	if err := durable.Replace(path, half); !errors.Is(err, errHalf) {
		t.Errorf("half a file: %v", err)
	}
	check(t, folder, map[string]string{"file": "a"})
	read := func(w *bufio.Writer) error { // the new file may be made of the old
		text, err := os.ReadFile(path)
		_, wrong := w.WriteString(strings.ReplaceAll(string(text), "a", "b"))
		return errors.Join(err, wrong)
	}
	if err := durable.Replace(path, read); err != nil {
		t.Fatal(err)
	}
	check(t, folder, map[string]string{"file": "b"})
}

// A name that cannot be had leaves nothing behind.
func TestReplace_folder_in_the_way(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "file", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.Replace(filepath.Join(folder, "file"), saying("a")); err == nil {
		t.Error("a folder was replaced")
	}
	if _, err := os.Stat(filepath.Join(folder, "file.tmp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file is there: %v", err)
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := errors.Join(durable.Write(path, saying("a")), durable.Write(path, saying("b"))); err != nil {
		t.Fatal(err)
	}
	check(t, folder, map[string]string{"file": "b"})
	if err := durable.Write(path, half); !errors.Is(err, errHalf) {
		t.Errorf("half a file: %v", err)
	}
	check(t, folder, nil)
	if err := durable.Write(filepath.Join(folder, "missing", "file"), saying("a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

func TestSync(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := durable.Sync(w); err != nil {
		t.Errorf("a pipe: %v", err)
	}
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := durable.Sync(w); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
}

func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	if err := durable.SyncFolder(folder); err != nil {
		t.Error(err)
	}
	if err := durable.SyncFolder(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
