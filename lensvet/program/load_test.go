package program

import (
	"go/token"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

// No path of this machine is in what is printed: a dependency's file stands under its module.
func TestPosition(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "mod", "example.com", "dep@v1.2.3")
	here := filepath.Join(t.TempDir(), "work", "main")
	released := &packages.Module{Path: "example.com/dep", Version: "v1.2.3", Dir: cache}
	for name, test := range map[string]struct {
		file   string
		module *packages.Module
		want   string
	}{
		"below":            {filepath.Join(here, "a", "b.go"), &packages.Module{Path: "example.com/m", Main: true, Dir: here}, "a/b.go"},
		"beside":           {filepath.Join(here, "..", "other", "b.go"), &packages.Module{Path: "example.com/o", Main: true, Dir: filepath.Join(here, "..", "other")}, "../other/b.go"},
		"dependency":       {filepath.Join(cache, "sub", "b.go"), released, "example.com/dep@v1.2.3/sub/b.go"},
		"replaced, folder": {filepath.Join(here, "dep", "b.go"), &packages.Module{Path: "example.com/dep", Version: "v1.2.3", Dir: filepath.Join(here, "dep"), Replace: &packages.Module{Path: "./dep"}}, "dep/b.go"},
		"no module":        {filepath.Join(here, "b.go"), nil, "b.go"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &loader{dir: here}
			l.config.Fset = token.NewFileSet()
			file := l.config.Fset.AddFile(test.file, -1, 100)
			file.SetLines([]int{0, 10, 20})
			got := l.position(&packages.Package{Module: test.module}, file.Pos(12))
			if got != (Position{File: test.want, Line: 2, Column: 3}) {
				t.Errorf("%+v, want %s:2:3", got, test.want)
			}
		})
	}
}
