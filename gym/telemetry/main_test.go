package telemetry

import (
	"io"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens"
)

func TestMain(m *testing.M) {
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(k, "OTEL_") || strings.HasPrefix(k, "NEMO_") || k == "SLURM_JOB_ID" {
			os.Unsetenv(k)
		}
	}
	lens.SetLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	goleak.VerifyTestMain(m)
}

// mapEnv is an environment for tests.
type mapEnv map[string]string

func (m mapEnv) LookupEnv(key string) (string, bool) { v, ok := m[key]; return v, ok }
func (m mapEnv) Setenv(key, value string) error      { m[key] = value; return nil }
func (m mapEnv) Unsetenv(key string) error           { delete(m, key); return nil }

// envOf makes an environment of KEY=value texts.
func envOf(vars ...string) mapEnv {
	m := mapEnv{}
	for _, kv := range vars {
		k, v, _ := strings.Cut(kv, "=")
		m[k] = v
	}
	return m
}

func wantEnv(t *testing.T, got mapEnv, want ...string) {
	t.Helper()
	if w := envOf(want...); !maps.Equal(got, w) {
		t.Errorf("environment\n%v\nwant\n%v", map[string]string(got), map[string]string(w))
	}
}

// contains fails the test for each part that text lacks.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in: %s", p, text)
		}
	}
}
