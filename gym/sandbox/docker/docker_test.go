package docker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/sandbox"
)

// generous is a bound for what takes milliseconds on a machine that has nothing else to do.
const generous = 90 * time.Second

// newFake returns a provider whose docker command is the fake one.
func newFake(t *testing.T, o Options) (*Provider, fake) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t.TempDir()}
	t.Setenv(envFake, f.dir)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	o.Binary = self
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, f
}

func TestCreate_arguments(t *testing.T) {
	tests := map[string]struct {
		options Options
		spec    sandbox.Spec
		want    []string // after the name
	}{
		"plain": {Options{}, sandbox.Spec{Image: "debian"}, []string{"--entrypoint", "sleep", "debian", "infinity"}},
		"everything": {
			Options{Network: "none", Image: "unused"},
			sandbox.Spec{
				Image: "python:3", TTL: 90.5, Workdir: "/workspace", Env: map[string]string{"B": "2 x", "A": "1"},
				Metadata: map[string]string{"team": "t"}, Ports: []int{80, 8080},
				Resources: sandbox.Resources{CPU: 1.5, MemoryMiB: 512, GPU: 2},
			},
			[]string{"--label", "nemo-gym.team=t", "-w", "/workspace", "--env", "A=1", "--env", "B=2 x", "--cpus", "1.5", "--memory", "512m",
				"--memory-swap", "512m", "--gpus", "2", "--network", "none", "--publish", "127.0.0.1::80/tcp", "--publish", "127.0.0.1::8080/tcp",
				"--rm", "--entrypoint", "sleep", "python:3", "90.5"},
		},
		"entrypoint":       {Options{}, sandbox.Spec{Image: "i", Entrypoint: []string{"/start", "-x"}}, []string{"--entrypoint", "/start", "i", "-x"}},
		"configured image": {Options{Image: "own"}, sandbox.Spec{}, []string{"--entrypoint", "sleep", "own", "infinity"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, f := newFake(t, test.options)
			h, err := p.Create(t.Context(), test.spec)
			if err != nil {
				t.Fatal(err)
			}
			if h.ID != "0123456789ab" || h.Provider != "docker" {
				t.Errorf("handle %+v", h)
			}
			got := f.calls(t)[0]
			start := []string{"run", "-d", "--name", got[3], "--label", "nemo-gym.sandbox=1", "--init"}
			if diff := cmp.Diff(append(start, test.want...), got); diff != "" || !strings.HasPrefix(got[3], "nemo-gym-") {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCreate_refuses(t *testing.T) {
	p, f := newFake(t, Options{})
	for want, spec := range map[string]sandbox.Spec{
		"no image":         {},
		"disk_gib":         {Image: "i", Resources: sandbox.Resources{DiskGiB: 1}},
		"provider_options": {Image: "i", Options: map[string]any{"a": 1}},
		"twice":            {Image: "i", Ports: []int{1, 1}},
	} {
		_, err := p.Create(t.Context(), spec)
		if _, ok := errors.AsType[*sandbox.CreateError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(f.dir, "log")); err == nil {
		t.Error("docker was called")
	}
}

func TestCreate_fails(t *testing.T) {
	p, f := newFake(t, Options{})
	spec := sandbox.Spec{Image: "i", Env: map[string]string{"KEY": "hunter2"}}
	t.Run("run", func(t *testing.T) {
		path := filepath.Join(f.dir, "fail-run")
		if err := os.WriteFile(path, []byte("no such image"), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		_, err := p.Create(t.Context(), spec)
		if _, ok := errors.AsType[*sandbox.CreateError](err); !ok || !strings.Contains(err.Error(), "no such image") ||
			strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "KEY=***") {
			t.Error(err)
		}
	})
	t.Run("probe", func(t *testing.T) {
		path := filepath.Join(f.dir, "fail-exec")
		if err := os.WriteFile(path, []byte("no sh in there"), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		_, err := p.Create(t.Context(), spec)
		if _, ok := errors.AsType[*sandbox.VerificationError](err); !ok || !strings.Contains(err.Error(), "no sh in there") {
			t.Error(err)
		}
	})
	if left := f.containers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Run("no docker", func(t *testing.T) {
		p, err := New(Options{Binary: filepath.Join(f.dir, "nothing")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Create(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Error(err)
		}
	})
}

func TestSandbox(t *testing.T) {
	p, f := newFake(t, Options{MaxOutputBytes: 1000})
	box := sandbox.New(p, sandbox.Spec{
		Image: "i", Workdir: "/workspace", Ports: []int{80}, Files: map[string]string{"a/b.txt": "text"}, Env: map[string]string{"A": "1"},
	})
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	exec := func(c sandbox.Command) sandbox.Result {
		t.Helper()
		c.Timeout = generous
		r, err := box.Exec(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := exec(sandbox.Command{Text: "cat a/b.txt; echo $A; cat; echo err >&2; exit 3", Stdin: []byte("in")}); r.Stdout != "text1\nin" ||
		r.Stderr != "err\n" || r.ReturnCode != 3 || r.ErrorType != "" {
		t.Errorf("%+v", r)
	}
	if r := exec(sandbox.Command{Text: "head -c 5000 /dev/zero"}); len(r.Stdout) != 1000 || !r.Cut {
		t.Errorf("%d bytes, cut %v", len(r.Stdout), r.Cut)
	}
	// An error text of the command is not one of the engine.
	if r := exec(sandbox.Command{Text: "echo Error response from daemon: no >&2; exit 1"}); r.ReturnCode != 1 || r.ErrorType != "" {
		t.Errorf("%+v", r)
	}
	exec(sandbox.Command{Text: "true", User: "nobody", Dir: "/"})
	if calls := f.calls(t); !slices.Equal(calls[len(calls)-1][:5], []string{"exec", "-w", "/", "--user", "nobody"}) {
		t.Errorf("%q", calls[len(calls)-1])
	}
	down := filepath.Join(t.TempDir(), "down")
	if err := box.Download(t.Context(), "a/b.txt", down); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(down); string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if e, err := box.Endpoint(t.Context(), 80); err != nil || e.URL != "http://127.0.0.1:49153" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := box.Endpoint(t.Context(), 81); err == nil {
		t.Error("a port that was not asked for has an endpoint")
	}
	if s, err := box.Status(t.Context()); err != nil || s != sandbox.StatusRunning {
		t.Errorf("%s, %v", s, err)
	}
	if err := box.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if left := f.containers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExec_timeout(t *testing.T) {
	p, _ := newFake(t, Options{})
	h, err := p.Create(t.Context(), sandbox.Spec{Image: "i"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Exec(t.Context(), h, sandbox.Command{Text: "echo before; sleep 1000", Timeout: time.Second})
	if err != nil || r.ReturnCode != sandbox.RuntimeFailure || r.ErrorType != sandbox.ErrorTimeout {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Exec(ctx, h, sandbox.Command{Text: "sleep 1000"}); err != context.Canceled {
		t.Error(err)
	}
}

func TestExec_container_gone(t *testing.T) {
	p, f := newFake(t, Options{})
	h, err := p.Create(t.Context(), sandbox.Spec{Image: "i"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(f.dir, f.containers()[0])); err != nil {
		t.Fatal(err)
	}
	r, err := p.Exec(t.Context(), h, sandbox.Command{Text: "true"})
	if err != nil || r.ReturnCode != sandbox.RuntimeFailure || r.ErrorType != sandbox.ErrorSandbox {
		t.Errorf("%+v, %v", r, err)
	}
	if s, err := p.Status(t.Context(), h); err != nil || s != sandbox.StatusStopped {
		t.Errorf("%s, %v", s, err)
	}
	if err := p.Remove(t.Context(), h); err != nil {
		t.Error(err)
	}
}

func TestConnect(t *testing.T) {
	p, f := newFake(t, Options{})
	box := sandbox.New(p, sandbox.Spec{Image: "i", Workdir: "/w"})
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := box.Serialize()
	if err != nil {
		t.Fatal(err)
	}
	other, err := New(Options{Binary: p.o.Binary})
	if err != nil {
		t.Fatal(err)
	}
	same, err := sandbox.Connect(t.Context(), other, text, sandbox.Spec{Workdir: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := same.Exec(t.Context(), sandbox.Command{Text: "echo here"}); err != nil || r.Stdout != "here\n" {
		t.Errorf("%+v, %v", r, err)
	}
	if err := same.Stop(t.Context()); err != nil || len(f.containers()) > 0 {
		t.Errorf("%v, left behind: %v", err, f.containers())
	}
	for _, text := range []string{text, "garbage", "a b c"} {
		if _, err := sandbox.Connect(t.Context(), other, text, sandbox.Spec{}); err == nil {
			t.Errorf("connected to %q", text)
		}
	}
}

// A close removes what its users forgot.
func TestClose(t *testing.T) {
	p, f := newFake(t, Options{})
	if _, err := p.Create(t.Context(), sandbox.Spec{Image: "i"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Close(); err != nil || len(f.containers()) > 0 {
			t.Errorf("%v, left behind: %v", err, f.containers())
		}
	}
	if _, err := p.Create(t.Context(), sandbox.Spec{Image: "i"}); err == nil {
		t.Error("a closed provider created a sandbox")
	}
}

func TestOpen(t *testing.T) {
	for options, want := range map[string]string{``: "", `{"image": "x"}`: "", `{"img": "x"}`: "img", `{"max_output_bytes": -1}`: "above 0"} {
		p, err := Open([]byte(options))
		if want == "" && (err != nil || p.Name() != "docker") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", options, err)
		}
	}
}
