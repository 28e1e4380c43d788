package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun makes releases of a small repository, one after the other, and looks at what is there after each.
func TestRun(t *testing.T) {
	r := mini(t)
	before := git(t, r, "rev-parse", "HEAD")
	if err := releaseMini(t.Context(), r, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		args []string
		want string
	}{
		"the checkout is as it was": {[]string{"rev-parse", "HEAD"}, before},
		"and clean":                 {[]string{"status", "--porcelain"}, ""},
		"tags":                      {[]string{"tag"}, "cmd/v0.1.0\nlensvet/v0.1.0\ntelemetry/v0.1.0\nv0.1.0"},
		"commits":                   {[]string{"log", "--format=%s by %an", "-2", "release/v0.1.0"}, "Go on after v0.1.0 by Test\nRelease v0.1.0 by Test"},
		"what the branch keeps":     {[]string{"diff", "--name-only", "HEAD", "release/v0.1.0"}, "CHANGELOG.md"},
		"the tag is of the release": {[]string{"rev-parse", "release/v0.1.0^"}, git(t, r, "rev-parse", "cmd/v0.1.0^{commit}")},
		"its changelog":             {[]string{"show", "v0.1.0:CHANGELOG.md"}, "# Changelog\n\n## v0.1.0 (2026-12-01)\n\n### Added\n\n- Everything."},
		"the next changelog": {[]string{"show", "release/v0.1.0:CHANGELOG.md"},
			"# Changelog\n\n## Unreleased\n\n## v0.1.0 (2026-12-01)\n\n### Added\n\n- Everything."},
		"modules require each other": {[]string{"show", "v0.1.0:cmd/go.mod"},
			"module example.com/mini/cmd\n\ngo 1.26.0\n\nrequire example.com/mini/telemetry v0.1.0\n\nrequire example.com/mini v0.1.0 // indirect"},
		"what is not released keeps its replaces": {[]string{"show", "v0.1.0:bench/go.mod"},
			"module example.com/mini/bench\n\ngo 1.26.0\n\nrequire example.com/mini v0.1.0\n\nreplace example.com/mini => ../"},
	} {
		if got := git(t, r, c.args...); got != c.want {
			t.Errorf("%s: git %s prints\n%s\nwant\n%s", what, strings.Join(c.args, " "), got, c.want)
		}
	}
	sums := read(t, r, "dist/v0.1.0/SHA256SUMS")
	if want := "  lens_v0.1.0_" + host.os + "_" + host.arch + ".tar.gz\n"; !strings.HasSuffix(sums, want) {
		t.Errorf("SHA256SUMS is %q", sums)
	}

	other := filepath.Join(t.TempDir(), "again")
	if err := run(t.Context(), order{repo: r.dir, version: "v0.1.0", out: other, platforms: []platform{host}, again: true, say: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(other, "SHA256SUMS")); err != nil || string(again) != sums {
		t.Errorf("built again: %v\n%s\nfirst\n%s", err, again, sums)
	}

	git(t, r, "merge", "-q", "--ff-only", "release/v0.1.0")
	if err := releaseMini(t.Context(), r, "v0.2.0"); err == nil || !strings.Contains(err.Error(), "nothing to release") {
		t.Errorf("with nothing new: %v", err)
	}
	edit(t, r, "CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n- More.\n")
	commitAll(t, r)
	for _, version := range []string{"v0.2.0-rc.1", "v0.2.0"} {
		if err := releaseMini(t.Context(), r, version); err != nil {
			t.Fatal(err)
		}
		git(t, r, "merge", "-q", "--ff-only", "release/"+version)
	}
	const want = "# Changelog\n\n## Unreleased\n\n## v0.2.0 (2026-12-01)\n\n- More.\n\n## v0.1.0 (2026-12-01)\n\n### Added\n\n- Everything.\n"
	if got := read(t, r, "CHANGELOG.md"); got != want {
		t.Errorf("after a candidate and its release the changelog is\n%s\nwant\n%s", got, want)
	}
}

func read(t *testing.T, r repo, name string) string {
	t.Helper()
	text, err := r.read(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunRefuses: what is wrong is said, and nothing is left behind.
func TestRunRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		before  func(*testing.T, repo)
		want    string
	}{
		"no version":          {"1.0", nil, "not a semantic version"},
		"without v":           {"0.1.0", nil, "not a semantic version"},
		"a short version":     {"v1", nil, "not a semantic version"},
		"build metadata":      {"v0.1.0+today", nil, "not a semantic version"},
		"leading zero":        {"v0.01.0", nil, "not a semantic version"},
		"another import path": {"v2.0.0", nil, "has to end in /v2"},
		"changed file":        {"v0.1.0", func(t *testing.T, r repo) { put(t, r, "README.md", "# Other\n") }, "README.md"},
		"new file":            {"v0.1.0", func(t *testing.T, r repo) { put(t, r, "new.go", "package mini\n") }, "new.go"},
		"a tag of the root":   {"v0.1.0", func(t *testing.T, r repo) { git(t, r, "tag", "v0.1.0") }, "tag v0.1.0 is there already"},
		"a tag of one module": {"v0.1.0", func(t *testing.T, r repo) { git(t, r, "tag", "telemetry/v0.1.0") }, "tag telemetry/v0.1.0 is there already"},
		"below another":       {"v0.1.0", func(t *testing.T, r repo) { git(t, r, "tag", "cmd/v0.1.1") }, "not above cmd/v0.1.1"},
		"a late candidate":    {"v0.1.0-rc.2", func(t *testing.T, r repo) { git(t, r, "tag", "v0.1.0") }, "not above v0.1.0"},
		"branch":              {"v0.1.0", func(t *testing.T, r repo) { git(t, r, "branch", "release/v0.1.0") }, "git branch -D release/v0.1.0"},
		"archives":            {"v0.1.0", func(t *testing.T, r repo) { put(t, r, "dist/v0.1.0/x", "") }, "there already; remove it first"},
		"no changelog": {"v0.1.0", func(t *testing.T, r repo) {
			edit(t, r, "CHANGELOG.md", "## Unreleased", "## Soon")
			commitAll(t, r)
		}, `no section "## Unreleased"`},
		"a module that gets no tag": {"v0.1.0", func(t *testing.T, r repo) {
			edit(t, r, "go.work", "\t./telemetry\n", "")
			commitAll(t, r)
		}, "cannot release example.com/mini/cmd: it requires example.com/mini/telemetry, which go.work does not use"},
		"a replace of another's module": {"v0.1.0", func(t *testing.T, r repo) {
			edit(t, r, "cmd/go.mod", "replace example.com/mini =>", "replace example.com/fork => ../bench\n\nreplace example.com/mini =>")
			commitAll(t, r)
		}, "it replaces example.com/fork"},
		"a require that is missing": {"v0.1.0", func(t *testing.T, r repo) {
			edit(t, r, "telemetry/telemetry.go", "\n\nfunc", "\nimport _ \"example.com/mini/lensvet/none\"\n\nfunc")
			commitAll(t, r)
		}, "cannot release example.com/mini/telemetry with these module files"},
		"a program that does not know": {"v0.1.0", func(t *testing.T, r repo) {
			edit(t, r, "origin.go", "info.Main.Version", `info.Main.Version[:1] + "0.0.9"`)
			commitAll(t, r)
		}, `says it is "gym v0.0.9 of mini`},
		"no such release": {"again v0.1.0", nil, "cannot take v0.1.0 from its tags"},
	} {
		t.Run(name, func(t *testing.T) {
			r := mini(t)
			if c.before != nil {
				c.before(t, r)
			}
			before := git(t, r, "for-each-ref")
			version, again := strings.CutPrefix(c.version, "again ")
			err := run(t.Context(), order{repo: r.dir, version: version, platforms: []platform{host}, again: again, say: io.Discard})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if after := git(t, r, "for-each-ref"); after != before {
				t.Errorf("it left\n%s\nof\n%s", after, before)
			}
			if left, _ := filepath.Glob(filepath.Join(r.dir, "dist", ".*")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

func TestReopenRefuses(t *testing.T) {
	r := mini(t)
	if err := releaseMini(t.Context(), r, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	git(t, r, "tag", "-f", "cmd/v0.1.0", "HEAD")
	if _, err := reopen(t.Context(), r, "v0.1.0", t.TempDir()); err == nil || !strings.Contains(err.Error(), "cmd/v0.1.0 is at") {
		t.Errorf("with a tag that was moved: %v", err)
	}
}
