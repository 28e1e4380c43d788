package sandbox_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/gym/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// provider keeps files in memory and answers commands by itself.
type provider struct {
	mu       sync.Mutex
	files    map[string]string
	commands []sandbox.Command
	calls    []string
	fail     map[string]error
	result   sandbox.Result
}

func newProvider() *provider {
	return &provider{files: map[string]string{}, fail: map[string]error{}}
}

func (p *provider) call(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, name)
	return p.fail[name]
}

func (p *provider) count(name string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c == name {
			n++
		}
	}
	return n
}

func (*provider) Name() string { return "memory" }

func (p *provider) Create(context.Context, sandbox.Spec) (sandbox.Handle, error) {
	if err := p.call("create"); err != nil {
		return sandbox.Handle{}, &sandbox.CreateError{Provider: "memory", Err: err}
	}
	return sandbox.Handle{ID: "box-1", Provider: "memory"}, nil
}

func (p *provider) Exec(ctx context.Context, _ sandbox.Handle, c sandbox.Command) (sandbox.Result, error) {
	err := p.call("exec")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commands = append(p.commands, c)
	return p.result, err
}

func (p *provider) Upload(_ context.Context, _ sandbox.Handle, local, remote string) error {
	b, err := os.ReadFile(local)
	if err := errors.Join(err, p.call("upload")); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[remote] = string(b)
	return nil
}

func (p *provider) Download(context.Context, sandbox.Handle, string, string) error {
	return p.call("download")
}

func (p *provider) Status(context.Context, sandbox.Handle) (sandbox.Status, error) {
	return sandbox.StatusRunning, nil
}

func (p *provider) Remove(ctx context.Context, _ sandbox.Handle) error {
	return errors.Join(ctx.Err(), p.call("remove"))
}

func (p *provider) Close() error { return p.call("close") }

func (p *provider) Serialize(sandbox.Handle) (string, error) { return "box-1", nil }

func (p *provider) Connect(_ context.Context, text string) (sandbox.Handle, error) {
	return sandbox.Handle{ID: text, Provider: "memory"}, p.call("connect")
}

func TestStart(t *testing.T) {
	p := newProvider()
	box := sandbox.New(p, sandbox.Spec{Workdir: "/w", Files: map[string]string{"a": "A", "/b/c": "C"}})
	if s, err := box.Status(t.Context()); s != sandbox.StatusStarting || err != nil {
		t.Errorf("%s, %v", s, err)
	}
	if _, err := box.Exec(t.Context(), sandbox.Command{}); !errors.Is(err, sandbox.ErrNotStarted) {
		t.Error(err)
	}
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.files) != 2 || p.files["/w/a"] != "A" || p.files["/b/c"] != "C" {
		t.Errorf("files %v", p.files)
	}
	if err := box.Start(t.Context()); !errors.Is(err, sandbox.ErrStarted) {
		t.Error(err)
	}
	for range 2 {
		if err := box.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if p.count("remove") != 1 || p.count("close") != 1 {
		t.Errorf("calls %v", p.calls)
	}
	if err := box.Start(t.Context()); !errors.Is(err, sandbox.ErrStopped) {
		t.Error(err)
	}
	if s, err := box.Status(t.Context()); s != sandbox.StatusStopped || err != nil {
		t.Errorf("%s, %v", s, err)
	}
}

func TestStart_fails(t *testing.T) {
	for step, removed := range map[string]int{"create": 0, "upload": 1} {
		t.Run(step, func(t *testing.T) {
			p := newProvider()
			p.fail[step] = errors.New("no room")
			box := sandbox.New(p, sandbox.Spec{Files: map[string]string{"a": "A"}})
			err := box.Start(t.Context())
			if err == nil || !strings.Contains(err.Error(), "no room") {
				t.Error(err)
			}
			if _, is := errors.AsType[*sandbox.CreateError](err); is != (step == "create") {
				t.Errorf("%T", err)
			}
			if p.count("remove") != removed || p.count("close") != 1 {
				t.Errorf("calls %v", p.calls)
			}
			if err := box.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("spec", func(t *testing.T) {
		p := newProvider()
		box := sandbox.New(p, sandbox.Spec{Ports: []int{0}})
		if err := box.Start(t.Context()); err == nil || p.count("create") != 0 || p.count("close") != 1 {
			t.Errorf("%v, calls %v", err, p.calls)
		}
	})
}

func TestExec_defaults(t *testing.T) {
	p := newProvider()
	box := sandbox.New(p, sandbox.Spec{Workdir: "/w", Env: map[string]string{"A": "spec", "B": "spec"}})
	defer box.Stop(context.Background())
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []sandbox.Command{{Text: "x", Env: map[string]string{"B": "own"}}, {Text: "y", Dir: "/d", Timeout: time.Second}} {
		if _, err := box.Exec(t.Context(), c); err != nil {
			t.Error(err)
		}
	}
	if c := p.commands[0]; c.Dir != "/w" || c.Timeout != 180*time.Second || c.Env["A"] != "spec" || c.Env["B"] != "own" {
		t.Errorf("%+v", c)
	}
	if c := p.commands[1]; c.Dir != "/d" || c.Timeout != time.Second || c.Env["B"] != "spec" {
		t.Errorf("%+v", c)
	}
}

// A stop is carried out whatever goes wrong, and whether or not anybody still waits.
func TestStop_goes_on(t *testing.T) {
	p := newProvider()
	p.fail["remove"] = errors.New("stuck")
	box := sandbox.New(p, sandbox.Spec{})
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := box.Stop(ctx)
	if err == nil || !strings.Contains(err.Error(), "stuck") || errors.Is(err, context.Canceled) || p.count("close") != 1 {
		t.Errorf("%v, calls %v", err, p.calls)
	}
}

func TestConnect(t *testing.T) {
	p := newProvider()
	box, err := sandbox.Connect(t.Context(), p, "box-7", sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := box.Serialize(); text != "box-1" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := box.Start(t.Context()); !errors.Is(err, sandbox.ErrStarted) {
		t.Error(err)
	}
	if err := box.Stop(t.Context()); err != nil || p.count("remove") != 1 {
		t.Errorf("%v, calls %v", err, p.calls)
	}
	p = newProvider()
	p.fail["connect"] = errors.New("gone")
	if _, err := sandbox.Connect(t.Context(), p, "x", sandbox.Spec{}); err == nil || p.count("close") != 1 {
		t.Errorf("%v, calls %v", err, p.calls)
	}
}

func TestEndpoint(t *testing.T) {
	box := sandbox.New(newProvider(), sandbox.Spec{Ports: []int{80}})
	defer box.Stop(context.Background())
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for port, want := range map[int]string{80: "cannot be reached", 81: "[80]"} {
		if _, err := box.Endpoint(t.Context(), port); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", port, err)
		}
	}
}
