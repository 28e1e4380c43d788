package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testData is a workspace with packages that the checks have something to say about.
const testData = "../../analyzers/testdata"

// TestPackages runs the built command over packages as a user does: alone, and as a tool of go vet.
func TestPackages(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "lensvet")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("cannot build the command: %v\n%s", err, out)
	}
	const found = "endtwice.go:18:2: the span has been ended on line 16: this does nothing"
	for name, test := range map[string]struct {
		command []string
		code    int
		want    string // in what it prints; empty: it prints nothing
	}{
		"alone":           {[]string{tool, "./endtwice"}, 3, found},
		"one check":       {[]string{tool, "-endtwice", "./endtwice"}, 3, found},
		"another check":   {[]string{tool, "-groupname", "./endtwice"}, 0, ""},
		"nothing to say":  {[]string{tool, "./wrap"}, 0, ""},
		"json":            {[]string{tool, "-json", "./endtwice"}, 0, `"category": "endtwice"`},
		"diff":            {[]string{tool, "-fix", "-diff", "./endtwice"}, 0, "-\tspan.End()"},
		"no such package": {[]string{tool, "./nowhere"}, 1, "nowhere"},
		"version":         {[]string{tool, "version"}, 0, "lensvet "},
		"go vet":          {[]string{"go", "vet", "-vettool=" + tool, "./endtwice"}, 1, found},
		"go vet, one":     {[]string{"go", "vet", "-vettool=" + tool, "-groupname", "./endtwice"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(test.command[0], test.command[1:]...)
			cmd.Dir = testData
			cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, %v, want %d", code, err, test.code)
			}
			if test.want == "" && len(out) > 0 || !strings.Contains(string(out), test.want) {
				t.Errorf("it prints\n%s\nwant %q", out, test.want)
			}
		})
	}
}
