package viewer

import (
	"path/filepath"
	"testing"
)

// The commands that the page shows must reach the folder that it shows.
func TestDataFlag(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	if got := dataFlag(filepath.Join(home, "lens")); got != "" {
		t.Errorf("the usual folder: got %q", got)
	}
	if got, want := dataFlag(filepath.Join(home, "run", "viewer")), filepath.Join(home, "run", "viewer"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Chdir(home)
	if got, err := filepath.EvalSymlinks(filepath.Dir(dataFlag("viewer"))); err != nil || !filepath.IsAbs(got) {
		t.Errorf("a relative folder: got %q, %v", got, err)
	}
}
