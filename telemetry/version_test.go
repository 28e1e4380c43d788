//go:build !lens_off

package telemetry

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	mod := func(path, version string) *debug.Module { return &debug.Module{Path: path, Version: version} }
	replaced := mod(module, "v0.0.0")
	replaced.Replace = mod("../", "")
	pinned := mod(module, "v1.0.0")
	pinned.Replace = mod("example.com/fork", "v1.0.1")
	for _, c := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"released", debug.BuildInfo{Main: *mod("example.com/app", ""), Deps: []*debug.Module{mod(module, "v1.2.3")}}, "v1.2.3"},
		{"from a checkout", debug.BuildInfo{Main: *mod("example.com/app", "v9.0.0"), Deps: []*debug.Module{replaced}}, "(devel)"},
		{"replaced by a release", debug.BuildInfo{Main: *mod("example.com/app", ""), Deps: []*debug.Module{pinned}}, "v1.0.1"},
		{"itself", debug.BuildInfo{Main: *mod(module, "v0.1.0")}, "v0.1.0"},
		{"in a workspace", debug.BuildInfo{Main: *mod(module+"/cmd", "v5.0.0")}, "(devel)"},
	} {
		if got := versionOf(module, &c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
