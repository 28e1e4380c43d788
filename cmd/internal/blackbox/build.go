// Package blackbox is for tests that run the commands as a user does: it builds and starts them, reads what they say, and knows
// their children.
package blackbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Build compiles commands into a folder, as they ship: without cgo.
func Build(folder, tags string, packages ...string) error {
	build := exec.Command("go", append([]string{"build", "-tags", tags, "-o", folder + string(filepath.Separator)}, packages...)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build %s: %w\n%s", strings.Join(packages, " and "), err, out)
	}
	return nil
}

// Main is the TestMain of a command: it builds the command, says in binary where, and runs the tests. It does not return.
func Main(m *testing.M, name, tags string, binary *string) {
	code, err := withBinary(m, name, tags, binary)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withBinary(m *testing.M, name, tags string, binary *string) (code int, err error) {
	folder, err := os.MkdirTemp("", name+"-test-")
	if err != nil {
		return 0, fmt.Errorf("cannot make a folder for the binary: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // what is left is in the folder for temporary files
	if err := Build(folder, tags, "."); err != nil {
		return 0, err
	}
	*binary = filepath.Join(folder, name)
	return m.Run(), nil
}
