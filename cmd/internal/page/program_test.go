package page

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer"
)

// program is a running gym or lens.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	said   chan string // lines of both outputs; closed at the end
	exited chan struct{}

	mu  sync.Mutex
	all bytes.Buffer
}

// start runs one of the programs with telemetry settings and a home of its own.
func start(t *testing.T, name string, args ...string) *program {
	t.Helper()
	folder, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, said: make(chan string, 1024), exited: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(folder, name), args...)
	p.cmd.Env = ownEnvironment(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go p.listen(r)
	t.Cleanup(func() {
		p.cmd.Process.Kill() //nolint:errcheck // it has ended when all went well
		<-p.exited
	})
	return p
}

// ownEnvironment keeps the settings of the machine out.
func ownEnvironment(t *testing.T) []string {
	env := []string{"HOME=" + t.TempDir()}
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); {
		case name == "HOME", strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "OTEL_"), strings.HasPrefix(name, "NEMO_"), strings.HasPrefix(name, "TRACE"):
		default:
			env = append(env, kv)
		}
	}
	return env
}

// listen reads what the program says, to its end.
func (p *program) listen(r *os.File) {
	defer close(p.exited)
	defer r.Close()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		p.mu.Lock()
		p.all.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		select {
		case p.said <- lines.Text():
		default: // nobody waits for it
		}
	}
	close(p.said)
	p.cmd.Wait() //nolint:errcheck // its state says it
}

func (p *program) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all.String()
}

// says waits for a line that has a text, and returns what follows it there, up to a blank.
func (p *program) says(text string) string {
	p.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-p.said:
			if !ok {
				p.t.Fatalf("the program ended without saying %q\n%s", text, p.output())
			}
			if _, rest, found := strings.Cut(line, text); found {
				word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
				return word
			}
		case <-timeout:
			p.t.Fatalf("the program did not say %q within %v\n%s", text, patience, p.output())
		}
	}
}

// ends waits for the program's end and returns its exit code.
func (p *program) ends() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("the program did not end within %v\n%s", patience, p.output())
	}
	return p.cmd.ProcessState.ExitCode()
}

// demoRun is the folder of a finished `gym demo`, made once for the package.
func demoRun(t *testing.T) string {
	t.Helper()
	demoOnce.Do(func() {
		dir := filepath.Join(scratch, "demo-run")
		if p := start(t, "gym", "demo", "--output-dir", dir); p.ends() == 0 {
			demoDir = dir
		} else {
			t.Errorf("gym demo ended with %d\n%s", p.cmd.ProcessState.ExitCode(), p.output())
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
