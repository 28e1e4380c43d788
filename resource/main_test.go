package resource_test

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Tests say by themselves where they run.
func TestMain(m *testing.M) {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"SLURM", "K8S_", "KUBERNETES_", "CUDA_", "LOCAL_RANK", "TORCHELASTIC_", "LENS_SLURM_", "NV_LAUNCH_", "OTEL_"} {
			if strings.HasPrefix(name, prefix) {
				os.Unsetenv(name)
			}
		}
	}
	goleak.VerifyTestMain(m)
}

// setenv sets variables for the test: "NAME=value".
func setenv(t *testing.T, env ...string) {
	t.Helper()
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
}
