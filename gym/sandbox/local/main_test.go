//go:build linux

package local_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/local"
)

// escape is a program that tries to get out; see testdata/escape.
var escape string

// Names in the environment of this binary when a test starts it again.
const (
	envEscape = "GYM_SANDBOX_TEST_ESCAPE" // where escape is already
	envHelper = "GYM_SANDBOX_TEST_HELPER" // what to do instead of tests
)

func TestMain(m *testing.M) {
	escape = os.Getenv(envEscape)
	if helper, ok := helpers[os.Getenv(envHelper)]; ok {
		if err := helper(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code, err := 1, prepareEscape()
	if err == nil {
		if code = m.Run(); code == 0 {
			err = goleak.Find()
		}
	}
	if os.Getenv(envEscape) == "" {
		os.RemoveAll(filepath.Dir(escape))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// prepareEscape builds the program, without cgo and the race detector, which needs more memory than a sandbox has.
func prepareEscape() error {
	if escape != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "escape-")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	escape = filepath.Join(dir, "escape")
	cmd := exec.Command("go", "build", "-o", escape, "./testdata/escape")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the program that tries to escape: %w\n%s", err, out)
	}
	return nil
}

// sentence is what a user reads where there can be no sandbox.
const sentence = "set allow_unsafe: true"

// newBox starts a sandbox of namespaces. Where the kernel refuses them it checks the refusal, and ok is false: then there
// is nothing more to be tested.
func newBox(t *testing.T, o local.Options, spec sandbox.Spec) (box *sandbox.Sandbox, ok bool) {
	t.Helper()
	o.ReadOnly = append(o.ReadOnly, escape)
	p, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	made := sandbox.New(p, spec)
	t.Cleanup(func() {
		if err := made.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	err = made.Start(t.Context())
	if err != nil {
		if _, is := errors.AsType[*sandbox.CreateError](err); !is || !strings.Contains(err.Error(), sentence) {
			t.Fatalf("%v; it should start, or be refused with advice", err)
		}
		mayRefuse(t, err)
		return nil, false
	}
	return made, true
}

// generous is a bound for what takes milliseconds on a machine that has nothing else to do.
const generous = 90 * time.Second

// must runs a command that has a return code.
func must(t *testing.T, box *sandbox.Sandbox, c sandbox.Command) sandbox.Result {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = generous
	}
	r, err := box.Exec(t.Context(), c)
	if err != nil || r.ErrorType != "" {
		t.Fatalf("%s: %v, %s %v\n%s%s", c.Text, err, r.ErrorType, r.Err, r.Stdout, r.Stderr)
	}
	return r
}

// mark is a name for an environment, by which processes of a test are found on the machine.
func mark() string { return "GYM_SANDBOX_MARK_" + rand.Text() }

// survivors are the machine's processes that have a mark in their environment.
func survivors(t *testing.T, mark string) (found []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(processes) < 2 {
		t.Errorf("/proc shows %d processes: %v", len(processes), err)
	}
	for _, p := range processes {
		environ, err := os.ReadFile(p + "/environ")
		if err == nil && strings.Contains(string(environ), mark) {
			found = append(found, p)
		}
	}
	return found
}
