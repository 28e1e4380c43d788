//go:build unix

package main_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// A supervisor that is not ours hands the configuration down in the environment, as the Python system does.
func TestServeFromEnvironment(t *testing.T) {
	port := blackbox.FreePort(t)
	dict := fmt.Sprintf(`other:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, host: 127.0.0.1, port: 1}
counter:
  resources_servers:
    example_session_state_mgmt: {entrypoint: app.py, domain: agent, host: 127.0.0.1, port: %d}
`, port)
	cmd := gymCommand(context.Background(), []string{"NEMO_GYM_CONFIG_DICT=" + dict, "NEMO_GYM_CONFIG_PATH=counter"}, "serve")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	defer cmd.Process.Kill()

	var resp *http.Response
	poll(t, "an answer", func() bool {
		var err error
		resp, err = http.Post(fmt.Sprintf("http://127.0.0.1:%d/seed_session", port), "application/json", strings.NewReader(`{"initial_count":3}`))
		return err == nil
	})
	resp.Body.Close()
	if cookie := resp.Header.Get("Set-Cookie"); resp.StatusCode != 200 || !strings.HasPrefix(cookie, "Gym___counter=") {
		t.Errorf("status %d, cookie %q", resp.StatusCode, cookie)
	}
	http.DefaultClient.CloseIdleConnections()
	cmd.Process.Signal(syscall.SIGTERM)
	if err := <-exited; err != nil {
		t.Errorf("the server ended with %v\n%s", err, &stderr)
	}
}

func TestServeNeedsConfiguration(t *testing.T) {
	out := gym(t, nil, "serve")
	if out.code != 1 || !strings.Contains(out.stderr, "NEMO_GYM_CONFIG_DICT and NEMO_GYM_CONFIG_PATH") {
		t.Errorf("exit code %d, %q", out.code, out.stderr)
	}
}
