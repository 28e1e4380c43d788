//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With --view the demo serves a page over its rollouts until Ctrl-C, which is no failure.
func TestDemoView(t *testing.T) {
	needsSpans(t)
	dir := filepath.Join(t.TempDir(), "demo")
	cmd := gymCommand(context.Background(), nil, "demo", "--view", "--output-dir", dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended when all went well
	lines := bufio.NewScanner(stdout)
	var page *url.URL
	for page == nil && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "page "); ok {
			address, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if page, err = url.Parse(address); err != nil {
				t.Fatal(err)
			}
		}
	}
	if page == nil {
		t.Fatalf("no page was named\n%s", &stderr)
	}
	var runs struct {
		Rows []struct {
			Rollouts struct{ Finished, Scored int }
		}
	}
	if err := json.Unmarshal(ask(t, page, "/api/v1/runs"), &runs); err != nil {
		t.Fatal(err)
	}
	if len(runs.Rows) != 1 || runs.Rows[0].Rollouts.Scored != demoRollouts {
		t.Errorf("the page shows %+v, want one run of %d scored rollouts", runs.Rows, demoRollouts)
	}
	if html := ask(t, page, "/runs"); !bytes.Contains(html, []byte("<title>Lens")) {
		t.Errorf("the page is %.200s", html)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(stdout)
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C ended it with %v\n%s", err, &stderr)
	}
	if want := "lens view --data " + filepath.Join(dir, "viewer"); !bytes.Contains(rest, []byte(want)) {
		t.Errorf("it does not say how to look again: %q", rest)
	}
}

// A run that could not start left nothing to see, so it ends by itself, page or not.
func TestViewOfNothing(t *testing.T) {
	needsSpans(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	f := newFixture(t)
	config, err := os.ReadFile(f.config)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	f.config = write(t, f.config, strings.Replace(string(config), "domain: agent", "domain: agent, port: "+port, 1))
	out := f.run(nil, "--view")
	out.check(t, 1, "See it live at ", port)
	if strings.Contains(out.stdout, "page ") {
		t.Errorf("it serves a page of nothing: %q", out.stdout)
	}
}

// Piped and without --view, the demo ends by itself, and a folder keeps its traces for `lens view`.
func TestDemoKeepsItsTraces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	gym(t, nil, "demo", "--output-dir", dir).check(t, 0)
	info, err := os.Stat(filepath.Join(dir, "viewer"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the viewer's folder: %v, %v", info, err)
	}
	gym(t, nil, "demo", "--output-dir", filepath.Join(dir, "x"), "--view", "--no-view").check(t, 2, "view")
}
