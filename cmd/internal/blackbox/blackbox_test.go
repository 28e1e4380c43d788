//go:build unix

package blackbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// role makes the binary of this test the program that is started.
const role = "BLACKBOX_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		speak()
	}
	goleak.VerifyTestMain(m)
}

// speak prints on both outputs, and ends with 3 when it is interrupted.
func speak() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	fmt.Println("early, before what is waited for")
	fmt.Println("serves at localhost:1 until Ctrl-C")
	fmt.Fprintln(os.Stderr, "is ready")
	<-interrupted
	fmt.Println("bye")
	os.Exit(3)
}

// speaker is this binary as a program that speaks.
func speaker(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = blackbox.Environment(role + "=speaker")
	return cmd
}

// A program is heard on both outputs, in order, and its exit code is known.
func TestProgram(t *testing.T) {
	p := blackbox.Start(t, speaker())
	if at := p.Says(t, "serves at"); at != "localhost:1" {
		t.Errorf("it serves at %q", at)
	}
	p.Says(t, "is ready")
	p.Signal(t, os.Interrupt)
	if code := p.Ends(t); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	if out := p.Output(); !strings.HasPrefix(out, "early") || !strings.HasSuffix(out, "bye\n") {
		t.Errorf("it printed %q", out)
	}
}

// Instances are the children that say which one they are.
func TestInstances(t *testing.T) {
	var started []*blackbox.Program
	for _, args := range [][]string{{"serve", "--instance", "model"}, {"serve", "--instance"}, {"serve"}} {
		p := blackbox.Start(t, speaker(args...))
		p.Says(t, "is ready") // it is that program by now, and no copy of this one
		started = append(started, p)
	}
	if got := blackbox.Instances(t, os.Getpid()); len(got) != 1 || got["model"] != started[0].PID() {
		t.Errorf("instances are %v, want model at %d", got, started[0].PID())
	}
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "NEMO_GYM_OTEL_ENABLED", "TRACEPARENT", "BAGGAGE", "XDG_DATA_HOME"} {
		t.Setenv(name, "ours")
	}
	t.Setenv("BAGGAGE_CLAIM", "kept")
	got := blackbox.Environment("NEMO_GYM_OTEL_ENABLED=asked")
	if slices.ContainsFunc(got, func(kv string) bool { return strings.HasSuffix(kv, "=ours") }) {
		t.Errorf("settings of this machine come through: %q", got)
	}
	for _, want := range []string{"BAGGAGE_CLAIM=kept", "NEMO_GYM_OTEL_ENABLED=asked"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in %q", want, got)
		}
	}
}
