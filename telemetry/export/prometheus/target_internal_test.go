//go:build !lens_off

package prometheus

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"go.opentelemetry.io/otel/sdk/resource"
)

// In a folder of many users somebody may guess the name of a file and make a link of it; what that leads to stays as it is.
func TestWriteTarget_link(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, host+"-"+strconv.Itoa(os.Getpid())+".json")
	for _, link := range []string{name, name + ".part"} {
		if err := os.Symlink(victim, link); err != nil {
			t.Fatal(err)
		}
	}
	path, err := writeTarget(dir, "127.0.0.1:9464", resource.Empty())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("the victim has %q, %v", text, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", path, info, err)
	}
}
