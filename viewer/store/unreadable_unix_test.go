//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/viewer/store"
)

// TestUnreadable leaves out files that cannot be read, and goes on.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{ChunkBytes: 1, SegmentBytes: 1})
	for i := range uint64(3) {
		add(t, s, request(t, sp{trace: i, id: 1, name: "a"}))
	}
	closeStore(t, s)
	if err := os.Chmod(segments(t, dir)[1], 0); err != nil {
		t.Fatal(err)
	}
	giveUpRoot(t, dir)
	logger, text := logged()
	r := open(t, dir, store.Options{Logger: logger})
	if got := all(t, r); len(got) != 2 || r.Stats().Damaged != 1 || !strings.Contains(text.String(), "cannot read segment") {
		t.Errorf("%d spans, %d damaged: %s", len(got), r.Stats().Damaged, text)
	}
}

// giveUpRoot makes the test's folders, and until the test ends this process, a user's who is not root: root reads everything.
func giveUpRoot(t *testing.T, dir string) {
	t.Helper()
	const nobody = 65534
	if os.Geteuid() != 0 {
		return
	}
	if err := filepath.WalkDir(filepath.Dir(dir), func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, nobody, nobody)
		}
		return err
	}); err != nil {
		t.Skipf("cannot give the folder away: %v", err)
	}
	if err := syscall.Setreuid(-1, nobody); err != nil {
		t.Skipf("cannot become another user: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Setreuid(-1, 0); err != nil {
			t.Fatalf("cannot become root again: %v", err)
		}
	})
}
