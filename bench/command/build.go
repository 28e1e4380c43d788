package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build makes one of the commands of this repository, lens or gym, as a user gets it, and writes it to a path.
func build(ctx context.Context, name, to string) error {
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
