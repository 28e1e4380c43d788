// Package build makes the programs that are measured, as a user gets them.
package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Command builds one of the commands of this repository, lens or gym, and writes it to a path.
func Command(ctx context.Context, name, to string) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/lensgo/lens").CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot find the repository; run this in the folder bench, with GOWORK=off, or give the program with -%s: %w: %s", name, err, out)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", to, "./"+name)
	cmd.Dir = filepath.Join(strings.TrimSpace(string(out)), "cmd")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build %s: %w: %s", name, err, out)
	}
	return nil
}
