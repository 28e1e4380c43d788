package main_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What the tests have run by 'lens exec' is this test program, which does what a variable says.
const envChild = "LENS_TEST_CHILD"

func init() {
	if what := os.Getenv(envChild); what != "" {
		os.Exit(beChild(what))
	}
}

// beChild says which trace it is in, and ends with a code.
func beChild(what string) (code int) {
	switch what {
	case "fail":
		fmt.Println(os.Args[1:], "TRACEPARENT="+os.Getenv("TRACEPARENT"), "TRACESTATE="+os.Getenv("TRACESTATE"), "BAGGAGE="+os.Getenv("BAGGAGE"))
		fmt.Fprintln(os.Stderr, "on standard error")
		return 7
	case "succeed":
		return 0
	}
	return beSignalled()
}

// execSelf runs this test program by 'lens exec'.
func execSelf(t *testing.T, what string, env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return lensWith(t, append([]string{envChild + "=" + what}, env...), stdin, append([]string{"exec"}, args...)...)
}

func TestExec_mistakes(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no command":   {nil, "name a command"},
		"none behind":  {[]string{"--strict", "--"}, "name a command"},
		"unknown flag": {[]string{"--strikt", "--", "true"}, "unknown flag: --strikt"},
		"no time":      {[]string{"--timeout", "0s", "true"}, "--timeout is 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lens(t, append([]string{"exec"}, test.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, test.want) || !strings.Contains(errs, "See 'lens exec --help'") {
				t.Errorf("exit code %d\n%s%swant %s", code, out, errs, test.want)
			}
		})
	}
}

func TestExec_help(t *testing.T) { helps(t, "exec") }

func TestEmitSpans_help(t *testing.T) { helps(t, "emit-spans") }

func TestDoctor_help(t *testing.T) { helps(t, "doctor") }

// helps compares the help of a verb.
func helps(t *testing.T, verb string) {
	t.Helper()
	code, out, errs := lens(t, verb, "--help")
	if code != 0 || errs != "" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	golden(t, "help_"+strings.ReplaceAll(verb, "-", "_")+".txt", out)
}
