//go:build !lens_off

package lens_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests build programs with and without lens_off, and look at what came out.

// buildProgram builds a package of the workspace as programs ship, and gives the path of the binary.
func buildProgram(t *testing.T, pkg, tags string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-tags", tags, "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build %s with tags %q: %v\n%s", pkg, tags, err, text)
	}
	return out
}

// otelDeps lists the packages of OpenTelemetry's Go modules that a package links.
func otelDeps(t *testing.T, pkg, tags string) (found []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-tags", tags, pkg).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	for dep := range strings.Lines(string(out)) {
		if dep = strings.TrimSpace(dep); dep == otel || strings.HasPrefix(dep, otel+"/") {
			found = append(found, dep)
		}
	}
	return found
}

// TestOffPrograms: without telemetry a program links nothing of OpenTelemetry and is smaller, by how much the log says.
func TestOffPrograms(t *testing.T) {
	for _, pkg := range []string{"./testdata/callsite", "./telemetry/testdata/service"} {
		t.Run(filepath.Base(pkg), func(t *testing.T) {
			with, without := otelDeps(t, pkg, ""), otelDeps(t, pkg, "lens_off")
			if len(with) == 0 || len(without) != 0 {
				t.Errorf("%d packages of OpenTelemetry with telemetry; without it %q", len(with), without)
			}
			on, off := size(t, buildProgram(t, pkg, "")), size(t, buildProgram(t, pkg, "lens_off"))
			t.Logf("%.1f MB with telemetry, %d packages of OpenTelemetry", float64(on)/1e6, len(with))
			t.Logf("%.1f MB without, %.0f %%", float64(off)/1e6, 100*float64(off)/float64(on))
			if off >= on {
				t.Errorf("%d bytes without telemetry, %d with it", off, on)
			}
		})
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestOffService: the program runs, says once that it has no telemetry, and prints no span.
func TestOffService(t *testing.T) {
	for tags, want := range map[string]struct{ spans, said int }{"": {2, 0}, "lens_off": {0, 1}} {
		cmd := exec.Command(buildProgram(t, "./telemetry/testdata/service", tags))
		cmd.Env = []string{"NEMO_LENS_ENABLED=1", "NEMO_LENS_EXPORTER=console"}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("tags %q: %v\n%s", tags, err, &stderr)
		}
		has(t, stderr.String(), "the service serves 200 OK")
		same(t, "spans with tags "+tags, strings.Count(stdout.String(), "\n"), want.spans)
		same(t, "said with tags "+tags, strings.Count(stderr.String(), "compiled out"), want.said)
	}
}

// TestOffCallSite: a call site with everything on it compiles to the instructions of the same function without it. A
// deferred End leaves the defer and calls nothing of lens.
func TestOffCallSite(t *testing.T) {
	on, off := buildProgram(t, "./testdata/callsite", ""), buildProgram(t, "./testdata/callsite", "lens_off")
	bare := instructions(t, off, "main.bare")
	same(t, "instructions of a gated function", instructions(t, off, "main.gated"), bare)
	for f := range strings.SplitSeq("main.gated main.deferred main.deferred.deferwrap1 main.deferred.deferwrap2", " ") {
		for _, line := range instructions(t, off, f) {
			if strings.Contains(line, house) {
				t.Errorf("%s: %s", f, line)
			}
		}
	}
	n, gated := len(bare), len(instructions(t, on, "main.gated"))
	t.Logf("%d instructions without lens, %d with it compiled out, %d with it", n, len(instructions(t, off, "main.gated")), gated)
	calls := slices.ContainsFunc(instructions(t, on, "main.gated"), func(l string) bool { return strings.Contains(l, house) })
	if gated <= n || !calls {
		t.Errorf("with telemetry a call site has %d instructions and calls lens: %t; the look at them is broken", gated, calls)
	}
}

// instructions gives a function as the disassembler prints it, with addresses inside it made relative.
func instructions(t *testing.T, binary, function string) (list []string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", "^"+regexp.QuoteMeta(function)+"$", binary).Output()
	if err != nil {
		t.Fatalf("objdump: %v", err)
	}
	var start uint64
	hex := regexp.MustCompile(`0x[0-9a-f]+`)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line) // file:line address bytes mnemonic operands
		if len(fields) < 4 || fields[0] == "TEXT" {
			continue
		}
		if start == 0 {
			start, _ = strconv.ParseUint(fields[1], 0, 64)
		}
		text := hex.ReplaceAllStringFunc(strings.Join(fields[3:], " "), func(s string) string {
			n, err := strconv.ParseUint(s, 0, 64)
			if err != nil || n < start || n > start+4096 {
				return s
			}
			return "+" + strconv.FormatUint(n-start, 10)
		})
		list = append(list, strings.ReplaceAll(text, function, "self"))
	}
	if len(list) == 0 {
		t.Fatalf("the disassembler shows nothing of %s", function) // it fails by itself where it does not know the machine
	}
	return list
}
