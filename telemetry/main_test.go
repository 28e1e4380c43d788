package telemetry_test

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// The groups of the library that the tests instrument.
var (
	job   = lens.NewGroup("job")
	step  = lens.NewGroup("step")
	quiet = slog.New(slog.DiscardHandler)
)

// children are what this program does as another process.
var children = map[string]func(){}

func TestMain(m *testing.M) {
	lens.MustRegister(lens.Library{
		Namespace: "demo",
		Groups:    []*lens.Group{job, step},
		Presets:   lens.Presets{"default": {"job"}, "per_step": {"job", "step"}},
	})
	if run := children[os.Getenv("TELEMETRY_TEST_CHILD")]; run != nil {
		run()
		os.Exit(0)
	}
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"OTEL_", "NEMO_", "SLURM", "K8S_", "KUBERNETES_", "CUDA_", "LOCAL_RANK", "TORCHELASTIC_"} {
			if strings.HasPrefix(k, prefix) {
				os.Unsetenv(k)
			}
		}
	}
	lens.SetLogger(quiet)
	goleak.VerifyTestMain(m)
}

// config is an enabled one.
func config() telemetry.Config {
	c := telemetry.Default()
	c.Enabled = true
	c.SpanGroups = "all"
	return c
}

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// contains fails the test for each part that text lacks.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in: %s", p, text)
		}
	}
}
