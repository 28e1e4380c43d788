package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// version is above all that there will be with these module paths.
const version = "v1.999.0"

// TestRelease makes a release of this repository, of what is committed, and takes it as people will who never saw a clone. It does
// what run does, step by step, so that it can go on with what run removes.
func TestRelease(t *testing.T) {
	r, work, out := thisRepo(t), t.TempDir(), t.TempDir()
	c, err := cut(t.Context(), r, version, theDay, work)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLab(t.Context(), c, work)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.check(t.Context(), t.Output()); err != nil {
		t.Fatal(err)
	}
	l.testArchive(t, out)
	if err := c.bringOver(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Run("archive", func(t *testing.T) { c.testUnpacked(t, out) })
	t.Run("the same bytes again", func(t *testing.T) {
		again, err := reopen(t.Context(), r, version, t.TempDir()) // from another folder
		if err != nil {
			t.Fatal(err)
		}
		second := t.TempDir()
		(&lab{again, l.env, t.TempDir()}).testArchive(t, second)
		if first, now := read(t, repo{dir: out}, "SHA256SUMS"), read(t, repo{dir: second}, "SHA256SUMS"); now != first {
			t.Errorf("first\n%sagain\n%s", first, now)
		}
	})
	t.Run("a checkout of the tag", func(t *testing.T) {
		tagged, err := r.clone(t.Context(), filepath.Join(t.TempDir(), "tagged"), version)
		if err != nil {
			t.Fatal(err)
		}
		// With the workspace, and nothing published.
		if _, err := command(t.Context(), tagged.dir, []string{"GOWORK=", "GOFLAGS=", "GOPROXY=off"}, "go", "list", "-deps", "work"); err != nil {
			t.Error(err)
		}
	})
	t.Run("go install", l.testInstall)
	t.Run("a module that requires it", l.testConsumer)
	t.Run("as git has it", l.testHashes)
}

// host is the platform of the test.
var host = platform{runtime.GOOS, runtime.GOARCH}

// testArchive builds the archive for this machine.
func (l *lab) testArchive(t *testing.T, to string) {
	t.Helper()
	if err := l.archive(t.Context(), host, to); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(to); err != nil {
		t.Fatal(err)
	}
}

// testUnpacked looks at an archive as one does who has downloaded it.
func (c *release) testUnpacked(t *testing.T, out string) {
	name := c.archiveName(host)
	if said, err := command(t.Context(), out, nil, "sha256sum", "-c", "SHA256SUMS"); errors.Is(err, exec.ErrNotFound) {
		t.Log(err)
	} else if err != nil || said != name+".tar.gz: OK\n" {
		t.Errorf("%v, sha256sum says %q", err, said)
	}
	dir := filepath.Join(unpack(t, filepath.Join(out, name+".tar.gz")), name)
	for _, program := range []string{"gym", "lens", "lensvet"} {
		said, err := command(t.Context(), dir, nil, filepath.Join(dir, program), "version")
		if want := program + " " + version + " (" + c.commit[:12] + ", "; err != nil || !strings.HasPrefix(said, want) {
			t.Errorf("%v, %q, want %q", err, said, want)
		}
	}
	for _, file := range []string{"LICENSE", "README.md", "CHANGELOG.md", "licenses/go/LICENSE", "licenses/go.opentelemetry.io/otel/LICENSE"} {
		if s, err := os.Stat(filepath.Join(dir, file)); err != nil || s.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// thisRepo makes a clone of what is committed here, with something to release.
func thisRepo(t *testing.T) repo {
	t.Helper()
	needGit(t)
	here, err := openRepo(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	r, err := here.clone(t.Context(), filepath.Join(t.TempDir(), "repo"), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	edit(t, r, "CHANGELOG.md", unreleased, unreleased+"\n### Added\n\n- A test.\n")
	commitAll(t, r)
	return r
}

// unpack unpacks an archive into a new folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(plain); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, header.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, header.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

// testInstall does with the programs what they are for. go install has built them from the proxy already.
func (l *lab) testInstall(t *testing.T) {
	bin := map[string]string{}
	for _, program := range programs {
		name := filepath.Base(program)
		bin[name] = l.installed(program)
		said, err := command(t.Context(), l.work, nil, bin[name], "version")
		if want := name + " " + version + " (tag " + l.owner(program).tag(version) + ") "; err != nil || !strings.HasPrefix(said, want) {
			t.Errorf("%v, %q, want %q", err, said, want)
		}
	}
	dir := filepath.Join(t.TempDir(), "demo")
	said, err := command(t.Context(), l.work, nil, bin["gym"], "demo", "--no-view", "--output-dir", dir)
	if err != nil || !strings.Contains(said, "120 rollouts, 120 traces, each across 4 processes") {
		t.Errorf("%v, gym demo prints\n%s", err, said)
	}
	traces := read(t, repo{dir: dir}, "traces.jsonl")
	for _, key := range []string{"service.version", "nemo.gym.version"} {
		if want := `{"key":"` + key + `","value":{"stringValue":"` + version + `"}}`; !strings.Contains(traces, want) {
			t.Errorf("no %s in traces.jsonl", want)
		}
	}
	said, err = command(t.Context(), l.work, nil, bin["lens"], "traces", "ls", "--data", filepath.Join(dir, "viewer"))
	if err != nil || !strings.Contains(said, "gym.rollout") {
		t.Errorf("%v, lens traces ls prints\n%s", err, said)
	}
}

// consumer is a program outside the repository.
const consumer = `package main

import (
	"context"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

var step = lens.NewGroup("step")

func main() {
	lens.MustRegister(lens.Library{Namespace: "consumer", Groups: []*lens.Group{step}, Presets: lens.Presets{"default": {"step"}}})
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		panic(err)
	}
	h, err := telemetry.Setup(context.Background(), c)
	if err != nil {
		panic(err)
	}
	_, span := step.Start(context.Background(), "consumer.step")
	span.End()
	if err := h.Shutdown(context.Background()); err != nil {
		panic(err)
	}
}
`

// testConsumer builds a program that requires two of the modules, as a first user would.
func (l *lab) testConsumer(t *testing.T) {
	dir := repo{dir: t.TempDir()}
	put(t, dir, "go.mod", "module example.com/consumer\n\ngo 1.26.0\n")
	put(t, dir, "main.go", consumer)
	env := append(slices.Clip(l.env), "NEMO_LENS_ENABLED=true", "NEMO_LENS_EXPORTER=console", "NEMO_LENS_SPAN_GROUPS=default")
	if _, err := command(t.Context(), dir.dir, env, "go", "get", l.house()+"@"+version, l.house()+"/telemetry@"+version); err != nil {
		t.Fatal(err)
	}
	said, err := command(t.Context(), dir.dir, env, "go", "run", "-trimpath", ".")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, `"consumer.step"`) || !strings.Contains(said, version) {
		t.Errorf("it prints\n%s\nwant the span and the version", said)
	}
	if text := read(t, dir, "go.mod"); strings.Contains(text, "replace") || strings.Contains(text, "lens/gym") {
		t.Errorf("go.mod is\n%s", text)
	}
}

// testHashes asks the go command for the modules from the tags in git, as the first module proxy will, and compares.
func (l *lab) testHashes(t *testing.T) {
	env := append(slices.Clip(l.env), "GOPROXY=direct", "GOMODCACHE="+filepath.Join(t.TempDir(), "modules"), "GOVCS=*:git",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+fileURL(l.repo.dir)+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+l.house())
	for _, m := range l.modules {
		text, err := command(t.Context(), l.work, env, "go", "mod", "download", "-json", m.path+"@"+version)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Sum, GoModSum string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		ours, err := (proxy{t.TempDir()}).add(l.repo, m, version, l.commit, l.when)
		if err != nil {
			t.Fatal(err)
		}
		if ours[0].hash != got.Sum || ours[1].hash != got.GoModSum {
			t.Errorf("%s: %s and %s, git has %s and %s", m.path, ours[0].hash, ours[1].hash, got.Sum, got.GoModSum)
		}
	}
}
