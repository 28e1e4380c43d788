package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fixtures are programs that package program keeps for its own tests.
const fixtures = "./lensvet/program/testdata/"

// lensHere runs the binary in the root of the repository, with the home that the go command has its caches in.
func lensHere(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, lensBinary, args...)
	cmd.Dir = filepath.Join("..", "..")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("lens %s: %v", strings.Join(args, " "), err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// lines matches the line in a place of the source, which changes with every edit.
var lines = regexp.MustCompile(`(\.go:)\d+|("line": |"column": )\d+`)

func withoutLines(text string) string {
	text = lines.ReplaceAllString(text, "${1}${2}N")
	return regexp.MustCompile(`(?m)(\.go:N) +`).ReplaceAllString(text, "$1  ") // columns follow the width of numbers
}

// What this repository's own program can turn on.
func TestGroups_gym(t *testing.T) {
	for name, args := range map[string][]string{
		"groups_gym.txt":  {"groups", "./cmd/gym"},
		"groups_gym.md":   {"groups", "./cmd/gym", "--format", "markdown"},
		"groups_gym.json": {"groups", "./cmd/gym", "--format", "json"},
		"check_gym.txt":   {"check", "default,sandbox", "./cmd/gym"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lensHere(t, args...)
			if code != 0 || errs != "" {
				t.Errorf("exit code %d, %s", code, errs)
			}
			golden(t, name, withoutLines(out))
		})
	}
}

// Exit codes, and where what is said goes.
func TestGroups_golden(t *testing.T) {
	for name, args := range map[string][]string{
		"groups_tags.txt":   {"groups", fixtures + "tags", "--tags", "other,gpu"},
		"groups_broken.txt": {"groups", fixtures + "broken"},
		"groups_none.txt":   {"groups", "./semconv"},
		"groups_format.txt": {"groups", "./semconv", "--format", "xml"},
		"groups_nope.txt":   {"groups", "./nope/..."},
		"check_unknown.txt": {"check", "default,chekpoint,inference", fixtures + "namespaces"},
		"check_dynamic.txt": {"check", "layer_12,-layer_3", fixtures + "dynamic"},
		"check_broken.txt":  {"check", "good,ugly", fixtures + "broken"},
		"check_minus.txt":   {"check", "--format", "json", "--", "-step,all", fixtures + "tags"},
		"check_empty.txt":   {"check", "", fixtures + "tags"},
		"check_no_spec.txt": {"check"},
		"check_format.txt":  {"check", "all", "--format", "markdown"},
		"help_groups.txt":   {"groups", "--help"},
		"help_check.txt":    {"check", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lensHere(t, args...)
			golden(t, name, fmt.Sprintf("exit code %d\n--- standard output\n%s--- standard error\n%s", code, out, errs))
		})
	}
}
