//go:build !lens_off && unix

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// self is this test program, and its name on spans.
func self(t *testing.T) (path, name string) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path, filepath.Base(path)
}

// The command has its arguments, its input and outputs, and its span in its environment; its exit code is ours. The span has its
// name and its end, and neither its folder nor its arguments.
func TestExec(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	path, name := self(t)
	env := append(c.env(), "TRACEPARENT="+someRef, "TRACESTATE=a=b", "BAGGAGE=k=v", "NEMO_LENS_ENABLED=0", "SECRET=hush-env")
	code, out, errs := execSelf(t, "fail", env, "", "--", path, "--token", "hush-arg", "--help")
	s, ok := c.take(t, 1)[name]
	if !ok {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	want := fmt.Sprintf("[--token hush-arg --help] TRACEPARENT=00-%s-%s-01 TRACESTATE=a=b BAGGAGE=k=v\n", someTrace, s.SpanID())
	if code != 7 || out != want || errs != "on standard error\n" {
		t.Errorf("exit code %d\n%swant\n%s%s", code, out, want, errs)
	}
	if s.TraceID().String() != someTrace || s.ParentSpanID().String() != someSpan || s.Kind() != ptrace.SpanKindClient {
		t.Errorf("the span is %v in %v below %v", s.Kind(), s.TraceID(), s.ParentSpanID())
	}
	if s.Status().Code() != ptrace.StatusCodeError || s.Status().Message() != "exit code 7" {
		t.Errorf("%v, %q", s.Status().Code(), s.Status().Message())
	}
	pid, _ := s.Attributes().Get("process.pid")
	same := map[string]any{"process.executable.name": name, "process.exit.code": int64(7), "error.type": "exit_code", "process.pid": pid.Int()}
	if fmt.Sprint(s.Attributes().AsRaw()) != fmt.Sprint(same) || pid.Int() == 0 {
		t.Errorf("the span has %v, want %v", s.Attributes().AsRaw(), same)
	}
	if all := everything(s, c); strings.Contains(all, "hush") || strings.Contains(all, filepath.Dir(path)) {
		t.Errorf("too much is told: %s", all)
	}
	if c.says("service.name") != "lens-exec" {
		t.Errorf("the service is %s", c.says("service.name"))
	}
}

// everything is what left, as text.
func everything(s ptrace.Span, c *collector) string {
	text := s.Name() + s.Status().Message() + s.TraceState().AsRaw()
	for _, m := range []pcommon.Map{s.Attributes(), c.resource} {
		text += fmt.Sprint(m.AsRaw())
	}
	for _, e := range s.Events().All() {
		text += e.Name() + fmt.Sprint(e.Attributes().AsRaw())
	}
	return text
}

// Without a trace to go on with it begins one, under the names that are given.
func TestExec_names(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	path, _ := self(t)
	code, out, errs := execSelf(t, "succeed", append(c.env(), "TRACESTATE=a=b"), "", "--name", "nightly", "--service", "ci", "--strict", path, "--strict", "--name", "x")
	s := c.take(t, 1)["nightly"]
	if code != 0 || out+errs != "" || c.says("service.name") != "ci" {
		t.Errorf("exit code %d, service %s\n%s%s", code, c.says("service.name"), out, errs)
	}
	if !s.ParentSpanID().IsEmpty() || s.Status().Code() != ptrace.StatusCodeUnset || s.EndTimestamp() < s.StartTimestamp() {
		t.Errorf("below %v, %v, from %d to %d", s.ParentSpanID(), s.Status().Code(), s.StartTimestamp(), s.EndTimestamp())
	}
	if _, failed := s.Attributes().Get("error.type"); failed {
		t.Error("a command that succeeded has an error.type")
	}
}

// Standard input and output are the command's own files, not copies of them.
func TestExec_files(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	for _, stdin := range []string{"", "some\x00bytes\nwithout an end"} {
		code, out, errs := lensWith(t, c.env(), stdin, "exec", "cat")
		if code != 0 || out != stdin || errs != "" {
			t.Errorf("exit code %d, %q, %q", code, out, errs)
		}
	}
	// A file is read from where it stands, and what was not read is still there.
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `"$LENS" exec sh -c 'read -r a; echo "$a"' < "$FILE"; { "$LENS" exec sh -c 'read -r a'; cat; } < "$FILE"`)
	cmd.Env = append(append(blackbox.Environment("HOME="+t.TempDir()), c.env()...), "LENS="+lensBinary, "FILE="+path)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "one\ntwo\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// How a command ends that is killed, or that does not run at all, is the exit code of a shell.
func TestExec_codes(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		command       []string
		code          int
		status, error string // on the span
		says          string
	}{
		"killed":         {[]string{"sh", "-c", "kill -KILL $$"}, 137, "it was killed by SIGKILL", "signal", ""},
		"terminated":     {[]string{"sh", "-c", "kill -TERM $$"}, 143, "it was killed by SIGTERM", "signal", ""},
		"a code":         {[]string{"sh", "-c", "exit 255"}, 255, "exit code 255", "exit_code", ""},
		"not there":      {[]string{"no-such-command"}, 127, "it could not be started: ", "not_started", "lens: cannot run no-such-command: "},
		"no such file":   {[]string{"/no/such/file"}, 127, "it could not be started: no such file", "not_started", "lens: cannot run /no/such/file: "},
		"not executable": {[]string{plain}, 126, "it could not be started: permission denied", "not_started", "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lensWith(t, c.env(), "", append([]string{"exec", "--name", name, "--"}, test.command...)...)
			if code != test.code || out != "" || !strings.Contains(errs, test.says) || test.says == "" && errs != "" {
				t.Errorf("exit code %d, want %d\n%s%s", code, test.code, out, errs)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			s, ok := c.spans[name]
			if !ok {
				t.Fatal("it has no span")
			}
			if !strings.HasPrefix(s.Status().Message(), test.status) || attributeOf(s.Attributes(), "error.type") != test.error ||
				attributeOf(s.Attributes(), "process.exit.code") != strconv.Itoa(test.code) {
				t.Errorf("the span says %q and has %v", s.Status().Message(), s.Attributes().AsRaw())
			}
		})
	}
}

// A span that cannot be sent is said. It changes the exit code with --strict alone, and never that of a command that failed.
func TestExec_not_sent(t *testing.T) {
	c := newCollector(t, http.StatusBadRequest)
	path, name := self(t)
	for _, test := range []struct {
		what   string
		env    []string
		strict bool
		code   int
		says   string
	}{
		{"succeed", c.env(), false, 0, "lens: the span of " + name + " was not sent: "},
		{"succeed", c.env(), true, 2, "was not sent: "},
		{"fail", c.env(), false, 7, "was not sent: "},
		{"fail", c.env(), true, 7, "was not sent: "},
		{"succeed", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, false, 0, "connection refused"},
		{"fail", []string{"NEMO_LENS_EXPORTER=jaeger"}, false, 7, "lens: no span for " + name + ": "},
		{"fail", []string{"NEMO_LENS_EXPORTER=jaeger"}, true, 2, "lens: no span for " + name + ": "},
		{"fail", []string{"NEMO_LENS_ENABLED=maybe"}, true, 2, "NEMO_LENS_ENABLED"},
		{"succeed", append(c.env(), "OTEL_SDK_DISABLED=true"), true, 0, ""},
	} {
		args := []string{path}
		if test.strict {
			args = []string{"--strict", path}
		}
		code, out, errs := execSelf(t, test.what, test.env, "", args...)
		if code != test.code || !strings.Contains(errs, test.says) || test.says == "" && errs != "" {
			t.Errorf("%+v: exit code %d\n%s", test, code, errs)
		}
		if lines := strings.Count(errs, "\n") - strings.Count(errs, "on standard error\n"); lines > 1 {
			t.Errorf("%+v: it is said more than once\n%s", test, errs)
		}
		if ran := out != ""; ran != (test.what == "fail" && test.code == 7) {
			t.Errorf("%+v: it prints %q", test, out)
		}
	}
}

// Where no span is made, the trace passes through.
func TestExec_passes_through(t *testing.T) {
	path, _ := self(t)
	_, out, _ := execSelf(t, "fail", []string{"OTEL_SDK_DISABLED=true", "TRACEPARENT=" + someRef, "BAGGAGE=k=v"}, "", path)
	if out != "[] TRACEPARENT="+someRef+" TRACESTATE= BAGGAGE=k=v\n" {
		t.Errorf("it prints %q", out)
	}
}

// startSelf starts this test program by 'lens exec', to be signalled.
func startSelf(t *testing.T, c *collector, attr *syscall.SysProcAttr, stdin *os.File, command ...string) *blackbox.Program {
	t.Helper()
	hearHangups()
	path, _ := self(t)
	cmd := exec.Command(command[0], append(command[1:], "exec", "--name", "signalled", "--", path)...)
	cmd.Env = append(append(blackbox.Environment("HOME="+t.TempDir(), envChild+"=signals"), c.env()...), "LENS="+lensBinary)
	cmd.SysProcAttr = attr
	if stdin != nil {
		cmd.Stdin = stdin
	}
	p := blackbox.Start(t, cmd)
	t.Cleanup(func() {
		if !p.Ended() { // the test has failed: what lens started must not outlive it
			syscall.Kill(-p.PID(), syscall.SIGKILL) //nolint:errcheck // the same
		}
	})
	return p
}

// hearHangups gives what the tests start no SIGHUP that is ignored, as when they run under nohup themselves.
var hearHangups = sync.OnceFunc(func() {
	if signal.Ignored(unix.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), unix.SIGHUP)
	}
})

// Signals go to the command, which decides what becomes of them.
func TestExec_signals(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	// In a session of its own it is in the foreground of no terminal.
	p := startSelf(t, c, &syscall.SysProcAttr{Setsid: true}, nil, lensBinary)
	p.Says(t, "ready ")
	for _, s := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGTERM} {
		p.Signal(t, s)
		p.Says(t, "got "+unix.SignalName(s))
	}
	if all := p.Says(t, "all "); all != "SIGHUP+SIGINT+SIGQUIT+SIGUSR1+SIGUSR2+SIGTERM" {
		t.Errorf("the command got %s", all)
	}
	if code := p.Ends(t); code != 5 {
		t.Errorf("it ended with %d\n%s", code, p.Output())
	}
	if s := c.take(t, 1)["signalled"]; attributeOf(s.Attributes(), "process.exit.code") != "5" {
		t.Errorf("the span has %v", s.Attributes().AsRaw())
	}
}

// What was ignored when lens was started stays ignored, as under nohup.
func TestExec_nohup(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	p := startSelf(t, c, &syscall.SysProcAttr{Setsid: true}, nil, "sh", "-c", `trap '' HUP; exec "$LENS" "$@"`, "sh")
	p.Says(t, "ignores-hangup=true")
	p.Signal(t, unix.SIGHUP)
	p.Signal(t, unix.SIGTERM)
	if all := p.Says(t, "all "); all != "SIGTERM" {
		t.Errorf("the command got %s", all)
	}
	if code := p.Ends(t); code != 5 {
		t.Errorf("it ended with %d\n%s", code, p.Output())
	}
}
