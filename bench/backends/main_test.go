package backends_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

const (
	root   = "../.."
	deploy = root + "/deploy"
	page   = root + "/docs/backends.md"
)

// programVariable makes this test binary one of the programs whose telemetry is looked at.
const programVariable = "LENS_TEST_BACKENDS_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programVariable); name != "" {
		if err := programs[name](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
