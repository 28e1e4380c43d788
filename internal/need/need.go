// Package need is for tests that cannot do without something which not every machine has: a browser, an interpreter, a pseudo
// terminal.
//
//	path, err := exec.LookPath("python3")
//	need.NoError(t, err)
package need

import (
	"os"
	"testing"
)

// NoError skips a test whose need is not met, with err as the reason. Where the environment says CI=true the test fails: there
// everything is installed, and what was skipped would be taken for tested.
func NoError(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}
