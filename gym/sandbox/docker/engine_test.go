package docker

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/sandbox"
)

// envImage names an image with a shell for TestEngine, where the engine cannot pull busybox.
const envImage = "LENS_TEST_DOCKER_IMAGE"

// engine gives an image of a docker engine on this machine. Where there is none the test is skipped, in the gate too: an engine is
// a service that a test cannot bring along, and all but its own part is tested with a fake one.
func engine(t *testing.T) (image string) {
	t.Helper()
	docker := func(bound time.Duration, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), bound)
		defer cancel()
		out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput()
		return string(out), err
	}
	if out, err := docker(generous, "version", "--format", "{{.Server.Version}}"); err != nil {
		t.Skipf("no docker engine runs here: %v %s", err, out)
	}
	if image = os.Getenv(envImage); image == "" {
		image = "busybox:stable"
	}
	if _, err := docker(generous, "image", "inspect", image); err != nil {
		if out, err := docker(startTimeout, "pull", "-q", image); err != nil {
			t.Skipf("the docker engine has no image %s (%s names another): %v %s", image, envImage, err, out)
		}
	}
	return image
}

// TestEngine does with a real engine what the other tests do with a fake one.
func TestEngine(t *testing.T) {
	image := engine(t)
	p, err := New(Options{Image: image, Network: "none"})
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(p, sandbox.Spec{
		Workdir: "/workspace", Env: map[string]string{"A": "1"}, Files: map[string]string{"a/b.txt": "text"}, Resources: sandbox.Resources{MemoryMiB: 64},
	})
	t.Cleanup(func() {
		if err := box.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := box.Serialize()
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(text, " ")
	r, err := box.Exec(t.Context(), sandbox.Command{Text: "cat a/b.txt; echo $A; cat; pwd; echo err >&2; exit 3", Stdin: []byte("in\n"), Timeout: generous})
	if err != nil || r.Stdout != "text1\nin\n/workspace\n" || r.Stderr != "err\n" || r.ReturnCode != 3 || r.ErrorType != "" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := box.Exec(t.Context(), sandbox.Command{Text: "sleep 1000", Timeout: time.Second}); err != nil || r.ErrorType != sandbox.ErrorTimeout {
		t.Errorf("%+v, %v", r, err)
	}
	down := filepath.Join(t.TempDir(), "down")
	if err := box.Download(t.Context(), "a/b.txt", down); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(down); string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if status, err := box.Status(t.Context()); err != nil || status != sandbox.StatusRunning {
		t.Errorf("%s, %v", status, err)
	}
	if err := box.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if out, err := exec.Command("docker", "inspect", name).CombinedOutput(); err == nil {
		t.Errorf("the container is left behind: %s", out)
	}
}
