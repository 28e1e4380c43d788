package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asProgram in the environment makes the test binary the program, which then starts itself as its workers.
const asProgram = "TRAINER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run())
	}
	goleak.VerifyTestMain(m)
}

// trainer runs the program, and gives what it prints and what it says on standard error.
func trainer(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	// GORACE: with the race detector each process would wait a second before it ends.
	cmd.Env = append([]string{asProgram + "=1", "GORACE=atexit_sleep_ms=0", "TMPDIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// losses are those that the program printed.
func losses(t *testing.T, out string) (all []float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(`loss (\d\S+)`).FindAllStringSubmatch(out, -1) {
		loss, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, loss)
	}
	return all
}

func TestTrainer_learns(t *testing.T) {
	code, out, errs := trainer(t, nil, "-workers", "3")
	if code != 0 {
		t.Fatal(errs)
	}
	all := losses(t, out)
	if len(all) != 5 || all[4] > 0.6*all[0] {
		t.Errorf("the loss does not fall much: %v", all)
	}
	for i := range all[1:] {
		if all[i+1] >= all[i] {
			t.Errorf("the loss rises: %v", all)
		}
	}
	if _, again, _ := trainer(t, nil, "-workers", "3"); again != out {
		t.Errorf("one seed, two trainings:\n%s\n%s", out, again)
	}
	if _, other, _ := trainer(t, nil, "-workers", "3", "-seed", "2"); other == out {
		t.Error("another seed, the same training")
	}
}

// What goes wrong in one process ends all of them.
func TestTrainer_fails(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no worker":          {[]string{"-workers", "0"}, 2, "-workers"},
		"no checkpoint":      {[]string{"-checkpoint", "/nowhere/model.json"}, 1, "/nowhere/model.json"},
		"nothing to read":    {[]string{"-role", "evaluate", "-checkpoint", "/nowhere/model.json"}, 1, "cannot read the model"},
		"a worker by itself": {[]string{"-role", "worker", "-rank", "1"}, 1, "rank 1: cannot begin step 0"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, errs := trainer(t, nil, test.args...)
			if code != test.code || !strings.Contains(errs, test.want) {
				t.Errorf("exit code %d, want %d; want %q in\n%s", code, test.code, test.want, errs)
			}
		})
	}
}
