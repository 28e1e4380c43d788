// Package rerun is for tests of what would end or spoil the process that they run in.
//
//	isChild, output, err := rerun.Test(t)
//	if isChild {
//		panic("the end")
//	}
//	// look at output and err
package rerun

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// env names the test that a process was started for.
const env = "LENS_TEST_CHILD"

// Test runs the named test again in a process of its own. In that process it reports true, and the test goes on as the
// child; output is what the child printed, and err says how it ended.
func Test(t *testing.T) (isChild bool, output string, err error) {
	t.Helper()
	if os.Getenv(env) == t.Name() {
		return true, "", nil
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	cmd := exec.Command(os.Args[0], "-test.run="+pattern, "-test.v")
	cmd.Env = append(os.Environ(), env+"="+t.Name())
	out, err := cmd.CombinedOutput()
	return false, string(out), err
}
