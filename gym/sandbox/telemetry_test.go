//go:build !lens_off

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/lenstest"
)

const (
	secret = "hunter2"
	label  = "nemo.gym.sandbox.provider=memory"
)

// useBox has a sandbox go through all its operations; each has a secret in it.
func useBox(t *testing.T, p *provider) {
	t.Helper()
	box := sandbox.New(p, sandbox.Spec{Env: map[string]string{"KEY": secret}, Files: map[string]string{secret: secret}})
	if err := box.Start(t.Context()); err != nil {
		return
	}
	_, _ = box.Exec(t.Context(), sandbox.Command{Text: "echo " + secret}) // the provider says how that goes
	for range 2 {
		_ = box.Stop(t.Context())
	}
}

func TestSpans(t *testing.T) {
	failed := errors.New("cannot echo " + secret)
	tests := map[string]struct {
		set  func(p *provider)
		want string // name, status, attributes
	}{
		"all is well": {func(p *provider) { p.result.ReturnCode = 3 }, `
gym.sandbox.start unset id=box-1
gym.sandbox.exec unset id=box-1 return_code=3
gym.sandbox.stop unset id=box-1`},
		"a time-out": {func(p *provider) { p.result = sandbox.Failed(sandbox.ErrorTimeout, nil) }, `
gym.sandbox.start unset id=box-1
gym.sandbox.exec error id=box-1 return_code=125
gym.sandbox.stop unset id=box-1`},
		"failures": {func(p *provider) { p.fail["exec"], p.fail["remove"] = failed, failed }, `
gym.sandbox.start unset id=box-1
gym.sandbox.exec error id=box-1 return_code=0
gym.sandbox.stop error id=box-1`},
		"no sandbox": {func(p *provider) { p.fail["create"] = failed }, `
gym.sandbox.start error`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := lenstest.Default(t)
			lens.SetSpec("sandbox")
			p := newProvider()
			test.set(p)
			useBox(t, p)
			var got strings.Builder
			for _, s := range rec.Spans() {
				fmt.Fprintf(&got, "\n%s %s", s.Name, strings.ToLower(s.Status.String()))
				for _, key := range []string{"id", "return_code"} {
					if v, ok := s.Attrs["nemo.gym.sandbox."+key]; ok {
						fmt.Fprintf(&got, " %s=%v", key, v)
					}
				}
				if s.Attrs["nemo.gym.sandbox.provider"] != "memory" {
					t.Errorf("%s has no provider", s.Name)
				}
				if all := fmt.Sprintf("%+v", s); strings.Contains(all, secret) || strings.Contains(all, "echo") {
					t.Errorf("a span tells the command: %s", all)
				}
			}
			if got.String() != test.want {
				t.Errorf("got%s\nwant%s", got.String(), test.want)
			}
			rec.AssertEnded(t)
		})
	}
}

func TestGroup(t *testing.T) {
	lenstest.AssertNotInPreset(t, telemetry.Sandbox, "default", "per_rollout")
	lenstest.AssertGated(t, telemetry.Sandbox, func(ctx context.Context) {
		box := sandbox.New(newProvider(), sandbox.Spec{})
		if err := box.Start(ctx); err != nil {
			t.Error(err)
		}
		if err := box.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

// What is held goes up and down again, whatever becomes of the sandbox; metrics do not depend on the group.
func TestMetrics(t *testing.T) {
	tests := map[string]struct {
		use            func(t *testing.T)
		active         float64
		started, execs uint64
	}{
		"used":     {func(t *testing.T) { useBox(t, newProvider()) }, 0, 1, 1},
		"no room":  {func(t *testing.T) { useBox(t, failing("create")) }, -1, 0, 0},
		"no files": {func(t *testing.T) { useBox(t, failing("upload")) }, 0, 0, 0},
		"stuck":    {func(t *testing.T) { useBox(t, failing("remove")) }, 0, 1, 1},
		"held": {func(t *testing.T) {
			box := sandbox.New(newProvider(), sandbox.Spec{})
			if err := box.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = box.Stop(context.Background()) })
		}, 1, 1, 0},
		"connected": {func(t *testing.T) {
			box, err := sandbox.Connect(t.Context(), newProvider(), "box-7", sandbox.Spec{})
			if err != nil {
				t.Fatal(err)
			}
			if err := box.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}, -1, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := lenstest.Metrics(t)
			test.use(t)
			active := -1.0 // nothing was ever counted
			if points := m.Points("gym.sandbox.active"); len(points) == 1 && points[0].Attributes == label {
				active = points[0].Value
			}
			if active != test.active {
				t.Errorf("active is %v, want %v", active, test.active)
			}
			if n := uint64(m.Point("gym.sandbox.startup_duration_ms", label).Count); n != test.started {
				t.Errorf("%d starts, want %d", n, test.started)
			}
			if n := uint64(m.Point("gym.sandbox.exec_duration_ms", label).Count); n != test.execs {
				t.Errorf("%d execs, want %d", n, test.execs)
			}
		})
	}
}

func failing(step string) *provider {
	p := newProvider()
	p.fail[step] = errors.New("no")
	return p
}
