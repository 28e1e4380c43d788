//go:build unix

package spool_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

// Looking says what living and ended processes have there, and changes nothing.
func TestLook(t *testing.T) {
	root := newRoot(t)
	if all, err := spool.Look(root); err != nil || len(all) != 0 {
		t.Errorf("before there is a spool: %+v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Dir(root)); !os.IsNotExist(err) {
		t.Errorf("it has made the folder: %v", err)
	}
	s := open(t, root, spool.Options{})
	appendTo(t, s, "a", "b")
	all, err := spool.Look(root)
	if err != nil || len(all) != 1 || all[0].Living != 1 || all[0].Items == 0 || all[0].Bytes == 0 || all[0].Destination != destination {
		t.Fatalf("beside a living process: %+v, %v", all, err)
	}
	items := all[0].Items
	closeSpool(t, s)
	before := everyPath(t, root)
	all, err = spool.Look(root)
	if err != nil || len(all) != 1 || all[0].Living != 0 || all[0].Items != items {
		t.Errorf("of an ended process: %+v, %v", all, err)
	}
	if after := everyPath(t, root); after != before {
		t.Errorf("it has changed\n%s to\n%s", before, after)
	}
	segment := ""
	for path := range strings.Lines(before) {
		if path = strings.TrimSpace(path); strings.HasSuffix(path, ".seg") {
			segment = path
		}
	}
	if err := os.WriteFile(segment, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err = spool.Look(root); err != nil || len(all) != 1 || all[0].Unread != 1 || all[0].Items != 0 {
		t.Errorf("with a file that is none of ours: %+v, %v", all, err)
	}
}

// everyPath lists what is in a folder.
func everyPath(t *testing.T, root string) (list string) {
	t.Helper()
	if err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		list += path + "\n"
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLook_refuses(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.MkdirAll(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]string{open: "0700", file: "0700", filepath.Join(file, "spool"): "not a directory"} {
		if _, err := spool.Look(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", root, err)
		}
	}
}
