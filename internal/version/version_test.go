package version

import (
	"regexp"
	"runtime/debug"
	"testing"
)

func TestRead(t *testing.T) {
	main := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: house + "/cmd", Version: version}, Settings: settings}
	}
	root := main("v1.2.3")
	root.Main.Path = house
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	when := debug.BuildSetting{Key: "vcs.time", Value: "2026-12-01T09:30:00Z"}
	const between = "v0.1.1-0.20261201093000-0123456789ab"
	for _, c := range []struct {
		name            string
		info            *debug.BuildInfo
		version, origin string
	}{
		{"go build in a clone", main(between, revision, when, clean), between, "0123456789ab, 2026-12-01T09:30:00Z"},
		{"with changes", main(between+"+dirty", revision, when, modified), between + "+dirty", "0123456789ab, modified, 2026-12-01T09:30:00Z"},
		{"of a release", main("v0.1.0", revision, when, clean), "v0.1.0", "0123456789ab, 2026-12-01T09:30:00Z"},
		{"an old go command", main("(devel)", revision), unversioned, "0123456789ab"},
		{"go run", main("(devel)"), unversioned, "unknown revision"},
		{"go install of a release", main("v0.1.0"), "v0.1.0", "tag cmd/v0.1.0"},
		{"of a release candidate", main("v0.1.0-rc.1"), "v0.1.0-rc.1", "tag cmd/v0.1.0-rc.1"},
		{"of a branch", main(between), between, "0123456789ab"},
		{"of a branch before any release", main("v0.0.0-20261201093000-0123456789ab"), "v0.0.0-20261201093000-0123456789ab", "0123456789ab"},
		{"of the module at the root", root, "v1.2.3", "tag v1.2.3"},
		{"a short revision", main("(devel)", debug.BuildSetting{Key: "vcs.revision", Value: "42"}), unversioned, "42"},
	} {
		b := read(c.info)
		if b.version != c.version || b.origin() != c.origin {
			t.Errorf("%s: %q (%s), want %q (%s)", c.name, b.version, b.origin(), c.version, c.origin)
		}
	}
}

// A test has build information too; which, is the go command's business.
func TestLine(t *testing.T) {
	if got := Line("gym"); !regexp.MustCompile(`^gym \S+ \(.+\) go1\.\S+ \w+/\w+$`).MatchString(got) {
		t.Error(got)
	}
	if got := Short(); got == "" {
		t.Error("there is no version")
	}
}

func TestOf(t *testing.T) {
	const gym = house + "/gym"
	mod := func(path, version string) *debug.Module { return &debug.Module{Path: path, Version: version} }
	in := func(m, by *debug.Module) *debug.Module { m.Replace = by; return m }
	app := *mod("example.com/app", "v9.0.0")
	const between = "v0.1.1-0.20261201093000-0123456789ab+dirty" // a commit after v0.1.0, and changes
	for _, c := range []struct {
		name string
		main debug.Module
		dep  *debug.Module
		want string
	}{
		{"a release", app, mod(gym, "v0.1.0"), "v0.1.0"},
		{"of a command", *mod(house+"/cmd", "v0.1.0"), mod(gym, "v0.1.0"), "v0.1.0"},
		{"a folder", app, in(mod(gym, "v0.0.0"), mod("../gym", "")), "(devel)"},
		{"a fork", app, in(mod(gym, "v0.1.0"), mod("example.com/fork", "v0.1.1")), "v0.1.1"},
		{"in a workspace of somebody", app, mod(gym, "(devel)"), "(devel)"},
		{"in our workspace", *mod(house+"/cmd", between), mod(gym, "(devel)"), between},
		{"in a module of ours", *mod(house+"/cmd", between), in(mod(gym, "v0.0.0"), mod("../gym", "")), between},
		{"itself", *mod(gym, "v0.1.0"), mod(house, "v0.1.0"), "v0.1.0"},
		{"go run", *mod(house+"/cmd", "(devel)"), mod(gym, "(devel)"), "(devel)"},
		{"not in it", app, mod(house, "v0.1.0"), "(devel)"},
		{"a name that begins like ours", *mod(house+"es", "v9.0.0"), mod(gym, "(devel)"), "(devel)"},
		{"without a version", *mod(house+"/cmd", ""), mod(gym, "(devel)"), "(devel)"},
	} {
		if got := of(gym, &debug.BuildInfo{Main: c.main, Deps: []*debug.Module{c.dep}}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := Of(gym); got == "" {
		t.Error("a test has no version")
	}
}
