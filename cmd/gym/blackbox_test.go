package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// gymBinary is the real program, built once for all tests of this package, and with lens_off where they are.
var gymBinary string

func TestMain(m *testing.M) { blackbox.Main(m, "gym", tags, &gymBinary) }

// needsSpans skips a test that looks at what is recorded where nothing can be.
func needsSpans(t *testing.T) {
	t.Helper()
	if tags != "" {
		t.Skip("built with " + tags)
	}
}

// outcome is how a run of the binary ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// gym runs the binary to its end. Telemetry settings of the machine that runs the tests are kept out.
func gym(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	return gymIn(t, "", env, args...)
}

// gymIn is gym in another current folder.
func gymIn(t *testing.T, dir string, env []string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := gymCommand(ctx, env, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("gym %s did not end: %v\n%s%s", strings.Join(args, " "), context.Cause(ctx), &stdout, &stderr)
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("gym %s: %v", strings.Join(args, " "), err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// gymCommand prepares the binary with a clean telemetry environment.
func gymCommand(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, gymBinary, args...)
	cmd.Env = blackbox.Environment(env...)
	return cmd
}

// lines reads a JSONL file into maps.
func lines(t *testing.T, path string) (rows []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if len(line) == 0 && len(data) == 0 {
			break
		}
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s:%d: %v", path, i+1, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// rewards are those of a run's rollouts.
func rewards(t *testing.T, path string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, row := range lines(t, path) {
		all[fmt.Sprint(row["_ng_task_index"], " ", row["_ng_rollout_index"])] = row["reward"]
	}
	return all
}

// ask reads something from the page's server with the token of its URL.
func ask(t *testing.T, page *url.URL, path string) []byte {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, page.Scheme+"://"+page.Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+page.Query().Get("token"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", path, resp.StatusCode, err)
	}
	return body
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
