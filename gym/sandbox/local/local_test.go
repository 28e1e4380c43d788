//go:build linux

package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/local"
)

func TestExec(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{
		Workdir: "/place/of/work",
		Env:     map[string]string{"A": "spec", "B": "spec"},
		Files:   map[string]string{"in/there.txt": "text", "/abs.txt": "absolute"},
	})
	if !ok {
		return
	}
	tests := map[string]struct {
		command sandbox.Command
		code    int
		stdout  string
		stderr  string
	}{
		"code":      {sandbox.Command{Text: "exit 3"}, 3, "", ""},
		"code 125":  {sandbox.Command{Text: "exit 125"}, 125, "", ""},
		"signal":    {sandbox.Command{Text: "kill -9 $$"}, 137, "", ""},
		"abort":     {sandbox.Command{Text: "kill -ABRT $$"}, 134, "", ""},
		"streams":   {sandbox.Command{Text: "echo out; echo err >&2"}, 0, "out\n", "err\n"},
		"stdin":     {sandbox.Command{Text: "cat", Stdin: []byte("a\nb")}, 0, "a\nb", ""},
		"no stdin":  {sandbox.Command{Text: "cat"}, 0, "", ""},
		"unread":    {sandbox.Command{Text: "true", Stdin: make([]byte, 1<<20)}, 0, "", ""},
		"workdir":   {sandbox.Command{Text: "pwd"}, 0, "/place/of/work\n", ""},
		"dir":       {sandbox.Command{Text: "pwd", Dir: "/tmp"}, 0, "/tmp\n", ""},
		"env":       {sandbox.Command{Text: "echo $A $B", Env: map[string]string{"B": "command"}}, 0, "spec command\n", ""},
		"files":     {sandbox.Command{Text: "cat in/there.txt /abs.txt"}, 0, "textabsolute", ""},
		"not there": {sandbox.Command{Text: "exec /no/such/program 2>/dev/null"}, 127, "", ""},
		"bytes":     {sandbox.Command{Text: `printf '\377\000x'`}, 0, "\xff\x00x", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := must(t, box, test.command)
			if r.ReturnCode != test.code || r.Stdout != test.stdout || r.Stderr != test.stderr || r.Cut {
				t.Errorf("got %d %q %q", r.ReturnCode, r.Stdout, r.Stderr)
			}
		})
	}
	t.Run("no such folder", func(t *testing.T) {
		r, err := box.Exec(t.Context(), sandbox.Command{Text: "true", Dir: "/nowhere"})
		if err != nil || r.ReturnCode != sandbox.RuntimeFailure || r.ErrorType != sandbox.ErrorSandbox || !strings.Contains(r.Err.Error(), "/nowhere") {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("user", func(t *testing.T) {
		if _, err := box.Exec(t.Context(), sandbox.Command{Text: "true", User: "root"}); !errors.Is(err, sandbox.ErrNoUser) {
			t.Error(err)
		}
	})
}

func TestExec_side_by_side(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	var wg sync.WaitGroup
	for _, word := range []string{"one", "two", "three", "four"} {
		wg.Go(func() {
			r, err := box.Exec(t.Context(), sandbox.Command{Text: "cat; echo " + word + " > " + word, Stdin: []byte(word), Timeout: generous})
			if err != nil || r.Stdout != word || r.ReturnCode != 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if r := must(t, box, sandbox.Command{Text: "cat one two three four"}); r.Stdout != "one\ntwo\nthree\nfour\n" {
		t.Errorf("what commands wrote is not all there: %+v", r)
	}
}

func TestTransfer(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	dir := t.TempDir()
	content := strings.Repeat("\x00\xffline\n", 100_000)
	local := filepath.Join(dir, "up")
	if err := os.WriteFile(local, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := box.Upload(t.Context(), local, "new/folder/file"); err != nil {
		t.Fatal(err)
	}
	down := filepath.Join(dir, "down")
	if err := box.Download(t.Context(), "/workspace/new/folder/file", down); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(down); err != nil || string(b) != content {
		t.Errorf("%d bytes came back, of %d: %v", len(b), len(content), err)
	}
	must(t, box, sandbox.Command{Text: "mkfifo pipe; ln -s " + local + " outside; ln -s /dev/zero zero; ln -s /etc/shadow shadow"})
	for name, want := range map[string]string{
		"pipe": "no regular file", "zero": "no regular file", "outside": "no such file", "shadow": "no such file",
		"missing": "no such file",
	} {
		if err := box.Download(t.Context(), name, filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("download of %s: %v", name, err)
		}
	}
	if err := box.Upload(t.Context(), local, "/usr/new"); err == nil {
		t.Error("a file was put into /usr")
	}
}

func TestCreate_refuses(t *testing.T) {
	for name, spec := range map[string]sandbox.Spec{
		"image":            {Image: "debian"},
		"entrypoint":       {Entrypoint: []string{"sh"}},
		"ports":            {Ports: []int{80}},
		"resources.gpu":    {Resources: sandbox.Resources{GPU: 1}},
		"provider_options": {Options: map[string]any{"x": 1}},
		"workdir":          {Workdir: "relative"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := local.New(local.Options{AllowUnsafe: true})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			_, err = p.Create(t.Context(), spec)
			if _, ok := errors.AsType[*sandbox.CreateError](err); !ok || !strings.Contains(err.Error(), name) {
				t.Error(err)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	for options, want := range map[string]string{
		``: "", `null`: "", `{"memory_mib": 64, "read_only": ["/opt"]}`: "",
		`{"memory": 64}`:           "memory",
		`{"disk_mib": -1}`:         "disk_mib is -1",
		`{"read_only": ["x"]}`:     `"x"`,
		`{"read_only": ["/x/.."]}`: `"/x/.."`,
	} {
		p, err := local.Open([]byte(options))
		if want == "" && (err != nil || p.Name() != "local") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", options, err)
		}
	}
}

func TestReadOnly_missing(t *testing.T) {
	p, err := local.New(local.Options{ReadOnly: []string{"/no/such/folder"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Create(t.Context(), sandbox.Spec{}); err == nil ||
		!strings.Contains(err.Error(), "/no/such/folder") && !strings.Contains(err.Error(), sentence) {
		t.Error(err)
	}
}

func TestTTL(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{TTL: 1})
	if !ok {
		return
	}
	r, err := box.Exec(t.Context(), sandbox.Command{Text: "sleep 1000", Timeout: generous})
	if err != nil || r.ErrorType != sandbox.ErrorSandbox {
		t.Errorf("%+v, %v", r, err)
	}
	if status, err := box.Status(t.Context()); err != nil || status != sandbox.StatusStopped {
		t.Errorf("%s, %v", status, err)
	}
}

func TestStatus(t *testing.T) {
	box, ok := newBox(t, local.Options{}, sandbox.Spec{})
	if !ok {
		return
	}
	if status, err := box.Status(t.Context()); err != nil || status != sandbox.StatusRunning {
		t.Errorf("%s, %v", status, err)
	}
	if err := box.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if status, err := box.Status(t.Context()); err != nil || status != sandbox.StatusStopped {
		t.Errorf("%s, %v", status, err)
	}
	if _, err := box.Exec(t.Context(), sandbox.Command{Text: "true"}); !errors.Is(err, sandbox.ErrStopped) {
		t.Error(err)
	}
}

// A close ends what its users forgot.
func TestClose(t *testing.T) {
	p, err := local.New(local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := p.Create(t.Context(), sandbox.Spec{})
	if err != nil {
		if !strings.Contains(err.Error(), sentence) {
			t.Error(err)
		}
		mayRefuse(t, err)
		return
	}
	if !p.Isolated(h) {
		t.Error("not isolated, although nobody allowed that")
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if status, _ := p.Status(t.Context(), h); status != sandbox.StatusStopped {
		t.Error(status)
	}
	if _, err := p.Create(t.Context(), sandbox.Spec{}); err == nil {
		t.Error("a closed provider created a sandbox")
	}
	if err := p.Remove(t.Context(), h); err != nil {
		t.Error(err)
	}
}
