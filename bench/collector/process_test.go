package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is one that a test has started. It ends with the test.
type process struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string  // of standard output
	errs   lockedBuffer // standard error
	waited sync.Once
	err    error // how it ended, once waited for
}

// lockedBuffer may be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// itself starts this binary in one of its roles.
func itself(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, env, path, args...)
}

// start starts a process.
func start(t *testing.T, env []string, path string, args ...string) *process {
	t.Helper()
	p := &process{name: filepath.Base(path) + " " + strings.Join(args, " "), cmd: exec.Command(path, args...), lines: make(chan string, 1024)}
	p.cmd.Env = append(environment(), env...)
	p.cmd.Stderr = &p.errs
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { p.kill() })
	return p
}

// environment is that of this process without what would make programs send elsewhere, or what is in nobody's spool.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc([]string{"OTEL_", "NEMO_", "TRACE", "BAGGAGE=", "XDG_", "SLURM_"}, func(p string) bool { return strings.HasPrefix(kv, p) })
	})
}

// wait waits for the end, and returns what it still printed.
func (p *process) wait() (rest []string, err error) {
	for line := range p.lines {
		rest = append(rest, line)
	}
	p.waited.Do(func() { p.err = p.cmd.Wait() })
	return rest, p.err
}

// ends waits for the end, which must be a success.
func (p *process) ends(t *testing.T) (rest []string) {
	t.Helper()
	rest, err := p.wait()
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.name, err, &p.errs)
	}
	return rest
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_, _ = p.wait()
	_ = p.stdin.Close()
}

// ask writes a line and returns the answer.
func (p *process) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		t.Fatalf("%s: %v\n%s", p.name, err, &p.errs)
	}
	answer, ok := <-p.lines
	if !ok {
		t.Fatalf("%s ended when it was asked %q\n%s", p.name, line, &p.errs)
	}
	return answer
}

// collector is a Collector, and where it can be started again.
type collector struct {
	*process
	folder string
	http   int
	grpc   int
	env    []string
	more   []string // configuration
}

// collect starts a Collector with collector.yaml and more, and waits until it is ready.
func collect(t *testing.T, env []string, more ...string) *collector {
	t.Helper()
	c := &collector{folder: filepath.Join(t.TempDir(), "received"), http: freePort(t), grpc: freePort(t), more: more}
	c.env = append(env, "COLLECTOR_FOLDER="+c.folder,
		fmt.Sprintf("COLLECTOR_HTTP=127.0.0.1:%d", c.http), fmt.Sprintf("COLLECTOR_GRPC=127.0.0.1:%d", c.grpc))
	c.begin(t)
	return c
}

// begin starts it, also once more after it was killed.
func (c *collector) begin(t *testing.T) {
	t.Helper()
	args := []string{"collector", "--config", "collector.yaml"}
	for _, m := range c.more {
		args = append(args, "--config", filepath.Join("testdata", m))
	}
	c.process = itself(t, c.env, args...)
	waitUntil(t, "the Collector is ready", func() bool {
		select {
		case <-c.lines: // closed: it prints nothing
			t.Fatalf("the Collector ended\n%s", &c.errs)
		default:
		}
		return strings.Contains(c.errs.String(), "Everything is ready")
	})
}

// end asks it to end, and looks at what it had to say.
func (c *collector) end(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.ends(t)
	c.quiet(t)
}

// quiet holds that nothing is in its log that anybody would look at.
func (c *collector) quiet(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(c.errs.String()) {
		var said struct{ Level string }
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.Level != "info" {
			t.Errorf("the Collector says %s", line)
		}
	}
}

// endpoint is where a protocol goes.
func (c *collector) endpoint(protocol, scheme string) string {
	port := c.http
	if protocol == "grpc" {
		port = c.grpc
	}
	return scheme + "://127.0.0.1:" + strconv.Itoa(port)
}

// freePort is a port of 127.0.0.1 that nobody but a server told of it gets: until the test ends a socket that does not listen holds it.
func freePort(t *testing.T) int {
	t.Helper()
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return at.(*syscall.SockaddrInet4).Port
}

// waitUntil looks again and again until something holds.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late := time.After(2 * time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not within two minutes: %s", what)
		}
	}
}
