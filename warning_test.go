//go:build !lens_off

package lens_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

// TestSpecWarnings has section 2.3: when there is something to say about a spec, what it must name, and when it is said
// again.
func TestSpecWarnings(t *testing.T) {
	t.Run("empty registry", func(t *testing.T) {
		for _, spec := range []string{"default", "all", "typo,-x"} {
			r, log := logged(t)
			r.SetSpec(spec)
			log.one(t, "level=WARN", "no library has registered any span groups", "spec="+spec, "import")
		}
	})
	t.Run("blank spec is silent", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("")
		r.SetSpec(" \t")
		r.Pin("whatever")
		log.none(t)
	})
	t.Run("pending", func(t *testing.T) {
		r, log := logged(t)
		eightGroups(t, r)
		s := r.SetSpec("step, rollouts,-agnet ,default")
		log.one(t, "level=WARN", "no library registered in this process provides", "shared", `spec="step, rollouts,-agnet ,default"`,
			`pending="[-agnet rollouts]"`, "optimizer", `presets="[all default per_step]"`, "namespaces=[lens]")
		same(t, "enabled", s.Enabled, []string{"checkpoint", "evaluate", "job", "step"})
	})
	t.Run("nothing selected", func(t *testing.T) {
		for _, spec := range []string{"empty", "job,-job", ","} {
			r, log := logged(t)
			eightGroups(t, r)
			must(t, r.Register(library(r, "more", nil, lens.Presets{"empty": nil})))
			r.SetSpec(spec)
			log.one(t, "level=WARN", "resolved to no span groups", "spec="+spec, "optimizer", "per_step", "[lens more]")
		}
	})
	t.Run("nearest registered name", func(t *testing.T) {
		r, log := logged(t)
		eightGroups(t, r)
		r.SetSpec("stpe,-optimiser,defualt,modelinit,quux,al")
		log.one(t, "step instead of stpe?", "optimizer instead of optimiser?", "default instead of defualt?",
			"model_init instead of modelinit?", "all instead of al?")
		r.SetSpec("quux")
		if line := strings.Join(log.take(), ""); strings.Contains(line, "did_you_mean") {
			t.Errorf("a guess out of nothing: %s", line)
		}
	})
	t.Run("a handle that nobody registered", func(t *testing.T) {
		r, log := logged(t)
		_, _, line, _ := runtime.Caller(0)
		r.NewGroup("Loose")
		site := fmt.Sprint("warning_test.go:", line+1)
		r.SetSpec("loose")
		log.one(t, "no library has registered", "loose: NewGroup at ", site, "no registered library lists it")
		eightGroups(t, r)
		log.take()
		r.SetSpec("all,-loose")
		log.one(t, "pending=[-loose]", "loose: NewGroup at ", site)
	})
	t.Run("a switch always reports", func(t *testing.T) {
		r, log := logged(t)
		eightGroups(t, r)
		for range 2 {
			r.SetSpec("typo")
			log.one(t, "pending=[typo]")
		}
	})
	t.Run("a refresh does not repeat itself", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("step,typo")
		log.one(t, "no library has registered any span groups")
		eightGroups(t, r) // the key has changed: the typo is now worth naming
		lines := log.take()
		if len(lines) != 2 {
			t.Fatalf("want two:\n%s", strings.Join(lines, "\n"))
		}
		has(t, lines[0], "registered after telemetry was set up")
		has(t, lines[1], "pending=[typo]")
		register(t, r, "unrelated", "x")
		log.one(t, "registered after telemetry was set up", "namespace=unrelated")
		register(t, r, "owner", "typo")
		log.one(t, "namespace=owner")
		must(t, r.Unregister("owner"))
		log.one(t, "pending=[typo]")
		must(t, r.Unregister("unrelated"))
		log.none(t)
	})
	t.Run("a typo is named once there is something to name", func(t *testing.T) {
		r, log := logged(t)
		r.SetSpec("typo")
		log.take()
		register(t, r, "lib", "step") // as many pending and as few enabled as before
		if lines := log.take(); len(lines) != 2 || !strings.Contains(lines[1], "pending=[typo]") {
			t.Errorf("want the late library and the typo:\n%s", strings.Join(lines, "\n"))
		}
	})
	t.Run("unregistering warns and switches off", func(t *testing.T) {
		r, log := logged(t)
		g := register(t, r, "a", "x")[0]
		r.SetSpec("x")
		log.none(t)
		must(t, r.Unregister("a"))
		log.one(t, "no library has registered any span groups")
		if hasWord(g) {
			t.Error("on")
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"rollout", "rollouts", "sandbox", "verify"}
	for name, want := range map[string]string{
		"rolout": "rollout", "rollouts_": "rollouts", "sandboxes": "sandbox", "veryfi": "verify", "x": "", "completely": "", "": "",
	} {
		if got := lens.Nearest(name, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}
