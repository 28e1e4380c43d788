package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// miniFiles is a repository in the shape of ours, without anything of others.
var miniFiles = map[string]string{
	".gitignore":                  "/dist/\n",
	"LICENSE":                     "Do as you like.\n",
	"README.md":                   "# Mini\n",
	"CHANGELOG.md":                "# Changelog\n\n## Unreleased\n\n### Added\n\n- Everything.\n",
	"go.work":                     "go 1.26.0\n\nuse (\n\t.\n\t./cmd\n\t./lensvet\n\t./telemetry\n)\n",
	"go.mod":                      "module example.com/mini\n\ngo 1.26.0\n",
	"origin.go":                   miniOrigin,
	"telemetry/go.mod":            "module example.com/mini/telemetry\n\ngo 1.26.0\n\nrequire example.com/mini v0.0.0\n\nreplace example.com/mini => ../\n",
	"telemetry/telemetry.go":      "package telemetry\n\nimport \"example.com/mini\"\n\nfunc Version(name string) string { return mini.Version(name) }\n",
	"lensvet/go.mod":              "module example.com/mini/lensvet\n\ngo 1.26.0\n\nrequire example.com/mini v0.0.0\n\nreplace example.com/mini => ../\n",
	"lensvet/testdata/go.mod":     "module example.com/data\n",
	"lensvet/cmd/lensvet/main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/mini\"\n)\n\nfunc main() { os.Stdout.WriteString(mini.Version(\"lensvet\")) }\n",
	"cmd/go.mod": "module example.com/mini/cmd\n\ngo 1.26.0\n\nrequire example.com/mini/telemetry v0.0.0\n\nrequire example.com/mini v0.0.0 // indirect\n\n" +
		"replace example.com/mini => ../\n\nreplace example.com/mini/telemetry => ../telemetry\n",
	"cmd/gym/main.go":  "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/mini/telemetry\"\n)\n\nfunc main() { os.Stdout.WriteString(telemetry.Version(\"gym\")) }\n",
	"cmd/lens/main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/mini/telemetry\"\n)\n\nfunc main() { os.Stdout.WriteString(telemetry.Version(\"lens\")) }\n",
	"bench/go.mod":     "module example.com/mini/bench\n\ngo 1.26.0\n\nrequire example.com/mini v0.0.0\n\nreplace example.com/mini => ../\n",
	"bench/bench.go":   "package bench\n\nimport _ \"example.com/mini\"\n",
}

const miniOrigin = `package mini

import "runtime/debug"

func Version(name string) string {
	info, _ := debug.ReadBuildInfo()
	return name + " " + info.Main.Version + " of mini\n"
}
`

// mini makes a small repository.
func mini(t *testing.T) repo {
	t.Helper()
	needGit(t)
	r := repo{dir: t.TempDir()}
	for name, text := range miniFiles {
		put(t, r, name, text)
	}
	git(t, r, "init", "-q", "-b", "main")
	commitAll(t, r)
	return r
}

// needGit skips a test where there is no git, which a release is made with, and gives what is committed an author.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%v; install git to test releases, which are made with it", err)
	}
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+role+"_NAME", "Test")
		t.Setenv("GIT_"+role+"_EMAIL", "test@example.com")
	}
}

func git(t *testing.T, r repo, args ...string) string {
	t.Helper()
	out, err := r.git(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, r repo, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.write(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func commitAll(t *testing.T, r repo) {
	t.Helper()
	if _, err := r.commit(t.Context(), "Change", "It is a test."); err != nil {
		t.Fatal(err)
	}
}

// edit replaces text in a file, which has to be there.
func edit(t *testing.T, r repo, name, old, now string) {
	t.Helper()
	text, err := r.read(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	put(t, r, name, strings.Replace(string(text), old, now, 1))
}

// theDay is the date of releases in tests.
var theDay = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func releaseMini(ctx context.Context, r repo, version string) error {
	return run(ctx, order{repo: r.dir, version: version, platforms: []platform{host}, date: theDay, say: io.Discard})
}
