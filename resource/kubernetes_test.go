package resource

import (
	"path/filepath"
	"testing"
)

// Mounted secrets tell a pod where the variables of services are switched off; without both there is none.
func TestKubernetes_secrets(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("K8S_POD_NAME", "p")
	if got := kubernetes(dir); len(got) != 1 || got[0].Value.AsString() != "p" {
		t.Errorf("with secrets: %v", got)
	}
	if got := kubernetes(filepath.Join(dir, "none")); got != nil {
		t.Errorf("without: %v", got)
	}
}
