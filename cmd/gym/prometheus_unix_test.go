//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// Prometheus finds every process of an environment in one folder, each with its own metrics, while it runs.
func TestEnvStart_prometheus(t *testing.T) {
	needsSpans(t)
	f := newFixture(t)
	dir := f.file("targets")
	s := &started{env: []string{"XDG_STATE_HOME=" + f.dir, "NEMO_GYM_OTEL_ENABLED=1", "OTEL_TRACES_EXPORTER=none",
		"OTEL_METRICS_EXPORTER=prometheus", "NEMO_LENS_PROMETHEUS_TARGETS=" + dir, "NEMO_GYM_OTEL_RUN_ID=r7"}}
	s.Program = blackbox.Start(t, gymCommand(context.Background(), s.env, "env", "start", "--config", f.config, "++head_server.port=0"))
	s.Says(t, "head server at")
	var services []string
	for _, target := range targets(t, dir) {
		service := target.Labels["service_name"]
		services = append(services, service)
		page := fetch(t, "http://"+target.Targets[0]+"/metrics")
		for _, part := range []string{`service_name="` + service + `"`, `nemo_run_id="r7"`, "go_goroutine_count{"} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: %q is not in %s", service, part, page)
			}
		}
	}
	slices.Sort(services)
	if want := []string{"nemo-gym/agent", "nemo-gym/counter", "nemo-gym/model", "nemo-gym/supervisor"}; !slices.Equal(services, want) {
		t.Errorf("listed are %q, want %q", services, want)
	}
	gym(t, s.env, "env", "stop").check(t, 0)
	if code := s.Ends(t); code != 0 || strings.Contains(s.Output(), "cannot fetch") {
		t.Errorf("gym env start ended with %d\n%s", code, s.Output())
	}
	if left := targets(t, dir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// target is what Prometheus is told of a process.
type target struct {
	Targets []string
	Labels  map[string]string
}

func targets(t *testing.T, dir string) (all []target) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var one []target
		if err := json.Unmarshal(text, &one); err != nil || len(one) != 1 || len(one[0].Targets) != 1 {
			t.Fatalf("%s: %v in %s", file, err, text)
		}
		all = append(all, one[0])
	}
	return all
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url) //nolint:noctx // it is on this machine
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, response.Status, err)
	}
	return string(text)
}
