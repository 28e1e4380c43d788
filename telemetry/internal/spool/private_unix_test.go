//go:build unix

package spool_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

// A spool holds attributes, which are nobody else's business, whatever the umask.
func TestSpool_is_private(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	appendTo(t, s, "a")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		seen++
		return nil
	})
	if err != nil || seen != 6 { // root, destination with its note, process with lock and segment
		t.Errorf("%d files and folders, %v", seen, err)
	}
}

func TestOpen_refuses_what_others_can_read(t *testing.T) {
	for name, prepare := range map[string]func(root string) error{
		"root for all":   func(root string) error { return os.MkdirAll(root, 0o755) },
		"root for group": func(root string) error { return os.MkdirAll(root, 0o710) },
		"root elsewhere": func(root string) error {
			if err := os.MkdirAll(filepath.Dir(root), 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(root), root)
		},
		"destination": func(root string) error {
			dir := filepath.Join(root, destination.Key)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := newRoot(t)
			if err := prepare(root); err != nil {
				t.Fatal(err)
			}
			_, err := spool.Open(root, destination, spool.Options{})
			if err == nil || !strings.Contains(err.Error(), root) || !strings.Contains(err.Error(), "0700") {
				t.Errorf("Open: %v", err)
			}
			_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, _ error) error {
				if d != nil && !d.IsDir() && d.Type().IsRegular() {
					t.Errorf("it has left %s", path)
				}
				return nil
			})
		})
	}
}
