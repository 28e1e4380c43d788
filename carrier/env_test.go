package carrier_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
)

var fromTraced = []string{"BAGGAGE=tenant=bl%22ue%2C%20n%C3%A9e", "TRACEPARENT=" + traceparent, "TRACESTATE=" + tracestate}

func TestEnv(t *testing.T) {
	alone := lens.WithParent(t.Context(), mustParse(t, other))
	for name, test := range map[string]struct {
		ctx  context.Context
		env  []string
		want []string
	}{
		"added":                    {traced(t), []string{"HOME=/h", "A="}, append([]string{"HOME=/h", "A="}, fromTraced...)},
		"alone":                    {traced(t), []string{}, fromTraced},
		"replaced, each once":      {traced(t), []string{"TRACEPARENT=x", "A=1", "TRACEPARENT=y", "BAGGAGE=z"}, append([]string{"A=1"}, fromTraced...)},
		"nothing stays behind":     {alone, []string{"TRACESTATE=foo=1", "BAGGAGE=k=v", "A=1"}, []string{"A=1", "TRACEPARENT=" + other}},
		"nothing to say":           {t.Context(), []string{"TRACEPARENT=" + other, "A=1"}, []string{"A=1"}},
		"no context":               {none, []string{"A=1"}, []string{"A=1"}},
		"other names, odd entries": {alone, []string{"MY_TRACEPARENT=1", "TRACEPARENT_X=2", "=C:=C:\\", "BARE"}, []string{"MY_TRACEPARENT=1", "TRACEPARENT_X=2", "=C:=C:\\", "BARE", "TRACEPARENT=" + other}},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(test.env)
			got := carrier.Env(test.ctx, test.env)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, test.env); diff != "" {
				t.Errorf("the list that was given has changed:\n%s", diff)
			}
		})
	}
}

// A variable is another one in another case, save on Windows.
func TestEnvCase(t *testing.T) {
	got := carrier.Env(t.Context(), []string{"traceparent=x"})
	if gone := len(got) == 0; gone != (runtime.GOOS == "windows") {
		t.Errorf("%q is left", got)
	}
}

func TestEnvInherits(t *testing.T) {
	t.Setenv("CARRIER_TEST", "1")
	t.Setenv("TRACEPARENT", other)
	got := carrier.Env(traced(t), nil)
	want := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "TRACEPARENT=") })
	if diff := cmp.Diff(append(want, fromTraced...), got); diff != "" || !slices.Contains(got, "CARRIER_TEST=1") {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func mustParse(t testing.TB, parent string) lens.Ref {
	t.Helper()
	ref, err := lens.ParseRef(parent, "")
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestFromEnv(t *testing.T) {
	set := func(t *testing.T, parent, state, baggage string) {
		t.Setenv("TRACEPARENT", parent)
		t.Setenv("TRACESTATE", state)
		t.Setenv("BAGGAGE", baggage)
	}
	t.Run("all of it", func(t *testing.T) {
		set(t, traceparent, tracestate, "k=v")
		want := lens.Map{"traceparent": traceparent, "tracestate": tracestate, "baggage": "k=v"}
		ctx := carrier.FromEnv(t.Context())
		if diff := cmp.Diff(want, headers(ctx)); diff != "" || !lens.RefFrom(ctx).Remote {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	for name, parent := range map[string]string{"empty": "", "wrong": "00-xyz", "a line too many": traceparent + "\n" + traceparent} {
		t.Run(name, func(t *testing.T) {
			set(t, parent, "foo=1", "")
			if ctx := traced(t); carrier.FromEnv(ctx) != ctx {
				t.Error("the context is not as given")
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		for _, name := range []string{"TRACEPARENT", "TRACESTATE", "BAGGAGE"} {
			t.Setenv(name, "") // puts back what was there
			os.Unsetenv(name)
		}
		ctx := traced(t)
		if carrier.FromEnv(ctx) != ctx {
			t.Error("the context is not as given")
		}
		if got := carrier.FromEnv(none); got != context.Background() {
			t.Errorf("no context gives %v", got)
		}
		if n := testing.AllocsPerRun(100, func() { carrier.FromEnv(ctx) }); n > 0 {
			t.Errorf("reading nothing allocates %v times", n)
		}
	})
}

// child is a command that prints what the trace of its environment is, in a folder of its own.
func child(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	t.Setenv(childEnv, "1")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir = t.TempDir()
	cmd.Env = env
	return cmd
}

func TestSetEnv(t *testing.T) {
	for name, test := range map[string]struct {
		ctx  context.Context
		env  []string
		want lens.Map
	}{
		"inherited environment": {traced(t), nil, headers(traced(t))},
		"an environment":        {traced(t), []string{childEnv + "=1", "TRACEPARENT=" + other, "BAGGAGE=k=v"}, headers(traced(t))},
		"nothing to say":        {t.Context(), nil, lens.Map{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TRACEPARENT", other) // what this process was started with
			t.Setenv("BAGGAGE", "old=1")
			cmd := child(t, test.env...)
			carrier.SetEnv(test.ctx, cmd)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got, pwd, _ := strings.Cut(strings.TrimSpace(string(out)), "\nPWD=")
			if want := fmt.Sprint(test.want); got != want {
				t.Errorf("the child has %s, want %s", got, want)
			}
			if runtime.GOOS != "windows" && test.env == nil && !sameFile(t, pwd, cmd.Dir) {
				t.Errorf("PWD of the child is %q, want %q", pwd, cmd.Dir)
			}
		})
	}
}

// Where there is nothing to do, the command stays as it is, so that what the program changes later still reaches the child.
func TestSetEnvLeavesAlone(t *testing.T) {
	for _, name := range []string{"TRACEPARENT", "TRACESTATE", "BAGGAGE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	cmd := exec.Command("true")
	carrier.SetEnv(t.Context(), cmd)
	if cmd.Env != nil {
		t.Errorf("Env is %q", cmd.Env)
	}
	cmd.Env = []string{}
	if carrier.SetEnv(traced(t), cmd); !slices.Equal(cmd.Env, fromTraced) {
		t.Errorf("an empty environment has become %q", cmd.Env)
	}
	carrier.SetEnv(traced(t), nil)
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	x, errA := filepath.EvalSymlinks(a)
	y, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && x == y
}

// FuzzEnv: whatever this process was started with, a child gets each variable at most once, in a form that a process can be
// started with, and reads from it what this process read.
func FuzzEnv(f *testing.F) {
	f.Add(traceparent, tracestate, "k=v;p=1, x=%20y")
	f.Add(other, "lens=r", "")
	f.Add("00-xyz", "A=1", "=,;")
	f.Fuzz(func(t *testing.T, parent, state, baggage string) {
		given := lens.Map{"TRACEPARENT": parent, "TRACESTATE": state, "BAGGAGE": baggage}
		for name, value := range given {
			if strings.Contains(value, "\x00") {
				t.Skip("no process is started with it")
			}
			t.Setenv(name, value)
		}
		ctx := carrier.FromEnv(t.Context())
		seen := lens.Map{}
		for _, entry := range carrier.Env(ctx, []string{"TRACEPARENT=stale"}) {
			name, value, ok := strings.Cut(entry, "=")
			if _, twice := seen[name]; twice || !ok || strings.ContainsAny(value, "\x00\r\n") {
				t.Fatalf("entry %q after %v", entry, seen)
			}
			seen[name] = value
			t.Setenv(name, value)
		}
		for name := range given {
			if _, ok := seen[name]; !ok {
				os.Unsetenv(name)
			}
		}
		if diff := cmp.Diff(sorted(headers(ctx)), sorted(headers(carrier.FromEnv(t.Context())))); diff != "" {
			t.Errorf("the child sends on (-parent +child):\n%s", diff)
		}
	})
}
