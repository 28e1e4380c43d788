//go:build !lens_off

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/internal/w3c/suite"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if built.path != "" {
			_ = os.RemoveAll(filepath.Dir(built.path))
		}
		os.Exit(code)
	}))
}

// TestSuite runs the expectations of the W3C suite (TC-01, GO-07) against the real binary. Requests are written by hand,
// byte for byte as the table has them: net/http's client would mend letter case and blanks.
func TestSuite(t *testing.T) {
	service := start(t)
	catch := newCatcher(t)
	for _, test := range suite.Tests() {
		t.Run(test.Name, func(t *testing.T) {
			for i, r := range test.Requests {
				callbacks := catch.callbacks(r.Count())
				if status := service.post(t, r.Headers, callbacks); status != http.StatusOK {
					t.Fatalf("request %d: status %d", i+1, status)
				}
				if wrong := r.Check(catch.take()); len(wrong) > 0 {
					t.Errorf("request %d, %q: %s", i+1, r.Headers, strings.Join(wrong, "; "))
				}
			}
		})
	}
}

func TestArgumentsAreHandedOn(t *testing.T) {
	service := start(t)
	catch := newCatcher(t)
	body := fmt.Sprintf(`[{"url": %q, "arguments": [ {"url":"u", "n": 1.0} ]}, {"url": %[1]q}]`, catch.server.URL)
	if status := service.post(t, nil, body); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	catch.mu.Lock()
	defer catch.mu.Unlock()
	if got := strings.Join(catch.bodies, "|"); got != `[ {"url":"u", "n": 1.0} ]|[]` {
		t.Errorf("the callbacks have the bodies %s", got)
	}
}

func TestBadRequests(t *testing.T) {
	service := start(t)
	dead := httptest.NewServer(nil)
	dead.Close()
	for body, want := range map[string]int{
		`{}`:                                  http.StatusBadRequest,
		`[{"url":1}]`:                         http.StatusBadRequest,
		`[{"url":"http://%"}]`:                http.StatusBadGateway,
		`[{"url":"ftp://x/"}]`:                http.StatusBadGateway,
		fmt.Sprintf(`[{"url":%q}]`, dead.URL): http.StatusBadGateway,
		`[]`:                                  http.StatusOK,
	} {
		if got := service.post(t, nil, body); got != want {
			t.Errorf("%s: status %d, want %d", body, got, want)
		}
	}
}

// TestSpans looks at what the binary prints: each request is one trace, a SERVER span with a CLIENT span per callback.
func TestSpans(t *testing.T) {
	service := start(t)
	catch := newCatcher(t)
	service.post(t, nil, catch.callbacks(2))
	lines := service.stop(t)
	kinds := map[string]int{}
	traces := map[string]bool{}
	for _, line := range lines {
		kind := "CLIENT"
		if strings.Contains(line, "POST /test") {
			kind = "SERVER"
		}
		kinds[kind]++
		for _, h := range catch.take() {
			traces[strings.Split(h.Get("Traceparent"), "-")[1]] = true
		}
		for id := range traces {
			if !strings.Contains(line, id) {
				t.Errorf("a span is not in the callbacks' trace: %s", line)
			}
		}
	}
	if kinds["SERVER"] != 1 || kinds["CLIENT"] != 2 || len(traces) != 1 {
		t.Errorf("%v spans in the traces %v", kinds, traces)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-nonsense"}, {"argument"}, {"-listen", "127.0.0.1:none"}} {
		out, err := exec.CommandContext(t.Context(), binary(t), args...).CombinedOutput()
		if err == nil || len(out) == 0 {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}

// service is a running binary.
type service struct {
	cmd   *exec.Cmd
	addr  string
	lines chan []string // the rest of its output, once
}

func start(t *testing.T) *service {
	t.Helper()
	s := &service{cmd: exec.Command(binary(t), "-listen", "127.0.0.1:0"), lines: make(chan []string, 1)}
	s.cmd.Env = append(bare(os.Environ()), "OTEL_BSP_SCHEDULE_DELAY=50", "NEMO_LENS_METRICS_ENABLED=false")
	s.cmd.Stderr = os.Stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewScanner(stdout)
	out.Buffer(nil, 1<<20)
	if !out.Scan() {
		t.Fatalf("the binary says nothing: %v", out.Err())
	}
	s.addr = strings.TrimSuffix(strings.TrimPrefix(out.Text(), "http://"), "/test")
	go func() {
		var lines []string
		for out.Scan() {
			lines = append(lines, out.Text())
		}
		s.lines <- lines
	}()
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			s.stop(t)
		}
	})
	return s
}

// bare is the environment without what would change the set-up.
func bare(env []string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, "OTEL_") && !strings.HasPrefix(e, "NEMO_") {
			out = append(out, e)
		}
	}
	return out
}

// stop ends the binary as a user would and gives what it printed after the first line.
func (s *service) stop(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		_ = s.cmd.Process.Kill()
	} else if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	lines := <-s.lines // before Wait, which closes the pipe
	if err := s.cmd.Wait(); err != nil && runtime.GOOS != "windows" {
		t.Errorf("the binary ends with %v", err)
	}
	return lines
}

// post writes a request by hand and gives the status of the answer.
func (s *service) post(t *testing.T, headers []suite.Header, body string) int {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /test HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n", s.addr, len(body))
	for _, h := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	fmt.Fprintf(&b, "\r\n%s", body)
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusOK && string(answer) != "null" {
		t.Errorf("the answer is %q", answer)
	}
	return resp.StatusCode
}

// catcher keeps what the callbacks carry.
type catcher struct {
	server  *httptest.Server
	mu      sync.Mutex
	headers []http.Header
	bodies  []string
}

func newCatcher(t *testing.T) *catcher {
	c := &catcher{}
	c.server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.headers = append(c.headers, r.Header)
		c.bodies = append(c.bodies, string(body))
	}))
	t.Cleanup(c.server.Close)
	return c
}

func (c *catcher) take() []http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.headers
	c.headers = nil
	return h
}

// callbacks is a body that asks for n of them.
func (c *catcher) callbacks(n int) string {
	var list []map[string]any
	for range n {
		list = append(list, map[string]any{"url": c.server.URL, "arguments": []any{}})
	}
	b, _ := json.Marshal(list)
	return string(b)
}

var built struct {
	once sync.Once
	path string
	err  error
}

// binary builds the command once.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "tracecontext")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "tracecontext.exe")
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", built.path, ".").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("cannot build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}
