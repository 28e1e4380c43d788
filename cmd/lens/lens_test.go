package main_test

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// lensBinary is the real program, built once for all tests of this package, and with lens_off where they are.
var lensBinary string

func TestMain(m *testing.M) { blackbox.Main(m, "lens", tags, &lensBinary) }

// lens runs the binary to its end, with a home of its own.
func lens(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return lensWith(t, nil, "", args...)
}

// lensWith is lens with variables and standard input.
func lensWith(t *testing.T, env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, lensBinary, args...)
	cmd.Env = append(blackbox.Environment("HOME="+t.TempDir()), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("lens %s: %v", strings.Join(args, " "), err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

const demo = "../../viewer/runs/testdata/demo.jsonl.gz"

func TestTracesOfAFile(t *testing.T) {
	code, out, errs := lens(t, "traces", "ls", "--file", demo, "--query", "env:example_multi_step", "--limit", "1")
	trace := regexp.MustCompile(`(?m)^[0-9a-f]{32}`).FindString(out)
	if code != 0 || trace == "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	code, out, errs = lens(t, "traces", "show", trace, "--file", demo)
	if code != 0 || !strings.Contains(out, "gym.rollout") || !strings.Contains(out, "      HTTP POST") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"unknown verb":         {[]string{"veiw"}, 2, `did you mean "view"?`},
		"unknown flag":         {[]string{"view", "--prot", "1"}, 2, "unknown flag: --prot"},
		"retention":            {[]string{"view", "--retain", "7 days"}, 2, "neither a size such as 2GB nor an age such as 7d"},
		"no trace named":       {[]string{"traces", "show"}, 2, "32 hexadecimal digits"},
		"no such trace":        {[]string{"traces", "show", strings.Repeat("0a", 16), "--file", demo}, 1, "lens: "},
		"not a trace id":       {[]string{"traces", "show", "xyz", "--file", demo}, 2, "32 hexadecimal digits"},
		"no such file":         {[]string{"traces", "ls", "--file", "missing.jsonl"}, 1, "missing.jsonl"},
		"no data yet":          {[]string{"traces", "ls"}, 1, "'lens view' makes it, --data names another"},
		"misspelt field":       {[]string{"traces", "ls", "--file", demo, "--query", "dru>2s"}, 2, "dur"},
		"file that is no OTLP": {[]string{"traces", "ls", "--file", "lens_test.go"}, 1, "lens_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lens(t, test.args...)
			if code != test.code || !strings.Contains(errs, test.want) || out != "" {
				t.Errorf("exit code %d, want %d; standard error\n%swant %q in it; standard output %q", code, test.code, errs, test.want, out)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	code, out, _ := lens(t, "version")
	if code != 0 || !regexp.MustCompile(`^lens \S+ \(.+\) go1\.\S+ \w+/\w+\n$`).MatchString(out) {
		t.Errorf("exit code %d, %q", code, out)
	}
}

// A viewer prints where it is, answers, ends with SIGTERM, and has everything again the next time.
func TestView(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	view := startView(t, demo, "--data", data)
	resp, err := http.Get(view.Says(t, "Page "))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	_, running, _ := lens(t, "traces", "ls", "--data", data)
	view.Signal(t, syscall.SIGTERM)
	if code := view.Ends(t); code != 0 {
		t.Errorf("it ended with %d\n%s", code, view.Output())
	}
	_, ended, _ := lens(t, "traces", "ls", "--data", data)
	if running != ended || !strings.Contains(ended, "gym.rollout") {
		t.Errorf("running\n%sended\n%s", running, ended)
	}
}

// startView starts a viewer on addresses that are free.
func startView(t *testing.T, args ...string) *blackbox.Program {
	t.Helper()
	args = append([]string{"view", "--listen", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0"}, args...)
	return blackbox.Start(t, exec.Command(lensBinary, args...))
}
