package page

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/viewer"
)

// start runs one of the programs with a home of its own.
func start(t *testing.T, name string, args ...string) *blackbox.Program {
	t.Helper()
	folder, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(folder, name), args...)
	cmd.Env = blackbox.Environment("HOME=" + t.TempDir())
	return blackbox.Start(t, cmd)
}

// demoRun is the folder of a finished `gym demo`, made once for the package.
func demoRun(t *testing.T) string {
	t.Helper()
	demoOnce.Do(func() {
		dir := filepath.Join(scratch, "demo-run")
		p := start(t, "gym", "demo", "--output-dir", dir)
		if code := p.Ends(t); code == 0 {
			demoDir = dir
		} else {
			t.Errorf("gym demo ended with %d\n%s", code, p.Output())
		}
	})
	if demoDir == "" {
		t.Fatal("there is no demo run")
	}
	return demoDir
}

var (
	demoOnce sync.Once
	demoDir  string
)

// place is a viewer in this process.
type place struct {
	*viewer.Viewer
	base, first string // the page's server, and what to visit there first
}

// serve starts a viewer over a folder of its own, unless the options name one. It ends with the test.
func serve(t *testing.T, o viewer.Options) *place {
	t.Helper()
	if o.Data == "" {
		o.Data = t.TempDir()
	}
	o.Listen, o.OTLPHTTP, o.Version = "127.0.0.1:0", "127.0.0.1:0", "test"
	v, err := viewer.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := v.Shutdown(ctx); err != nil {
			t.Errorf("cannot end the viewer: %v", err)
		}
	})
	p := &place{Viewer: v}
	p.base, p.first = split(t, v.URL())
	return p
}

// open opens a tab on the viewer, which has its cookie then.
func (v *place) open(t *testing.T) *tab {
	t.Helper()
	p := newTab(t, v.base)
	p.visit(v.first)
	p.until("the page", "$('main')")
	return p
}

// serveDemo is a viewer over a copy of the demo's folder, with its conversations.
func serveDemo(t *testing.T) *place {
	t.Helper()
	dir := demoRun(t)
	data := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(data, os.DirFS(filepath.Join(dir, "viewer"))); err != nil {
		t.Fatal(err)
	}
	return serve(t, viewer.Options{Data: data, Results: filepath.Join(dir, "results.jsonl")})
}
