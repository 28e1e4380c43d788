//go:build !lens_off

package lens_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modFile is what `go mod edit -json` says.
type modFile struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct{ Old, New struct{ Path string } }
}

// TestModules compares the module files: one Go version, and every nested module replaces every module of the house that it
// reaches, by the right relative path. Otherwise a build without the workspace would fetch them; bench and bench/collector are always built so. In
// the commit of a release, those that are released require versions and replace nothing.
func TestModules(t *testing.T) {
	mods := map[string]modFile{} // by module path
	dirs := map[string]string{}
	for _, dir := range append(workspace(t), "bench", "bench/collector", "bench/backends") {
		var m modFile
		goJSON(t, &m, "mod", "edit", "-json", filepath.Join(dir, "go.mod"))
		mods[m.Module.Path], dirs[m.Module.Path] = m, dir
	}
	if len(mods) < 6 {
		t.Fatalf("the workspace and bench are %d modules; the scanner is broken", len(mods))
	}
	for _, dir := range []string{"tools", "tools/golangci"} { // outside the workspace
		var m modFile
		goJSON(t, &m, "mod", "edit", "-json", filepath.Join(dir, "go.mod"))
		if m.Go != "1.26.0" {
			t.Errorf("%s says go %s, want 1.26.0", dir, m.Go)
		}
	}
	for path, m := range mods {
		if m.Go != "1.26.0" {
			t.Errorf("%s says go %s, want 1.26.0", path, m.Go)
		}
		replaced := map[string]string{}
		for _, r := range m.Replace {
			replaced[r.Old.Path] = r.New.Path
		}
		for _, need := range reached(mods, path) {
			want, err := filepath.Rel(dirs[path], dirs[need])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(dirs[path], "bench") && isReleased(m) {
				if by, found := replaced[need]; found {
					t.Errorf("%s/go.mod requires versions, and replaces %s by %q", dirs[path], need, by)
				}
			} else if got := filepath.Clean(replaced[need]); got != want {
				t.Errorf("%s/go.mod replaces %s by %q, want %q", dirs[path], need, replaced[need], want)
			}
		}
	}
}

// isReleased reports whether a module requires versions of the house that there are.
func isReleased(m modFile) bool {
	for _, r := range m.Require {
		if (r.Path == house || strings.HasPrefix(r.Path, house+"/")) && strings.HasPrefix(r.Version, "v0.0.0") {
			return false
		}
	}
	return true
}

// reached lists the modules of the house that a module requires, transitively.
func reached(mods map[string]modFile, path string) (out []string) {
	todo := []string{path}
	for len(todo) > 0 {
		m := mods[todo[0]]
		todo = todo[1:]
		for _, r := range m.Require {
			ours := r.Path == house || strings.HasPrefix(r.Path, house+"/")
			if ours && !slices.Contains(out, r.Path) {
				out = append(out, r.Path)
				todo = append(todo, r.Path)
			}
		}
	}
	return out
}

// workspace lists the folders that go.work uses.
func workspace(t *testing.T) (dirs []string) {
	t.Helper()
	var work struct{ Use []struct{ DiskPath string } }
	goJSON(t, &work, "work", "edit", "-json")
	for _, use := range work.Use {
		dirs = append(dirs, filepath.Clean(use.DiskPath))
	}
	return dirs
}

func goJSON(t *testing.T, v any, args ...string) {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(out, v); err != nil {
		t.Fatalf("go %s printed no JSON: %v", strings.Join(args, " "), err)
	}
}
