// Package version says what the running program was built from, as far as the go command wrote that into it.
//
//	fmt.Println(version.Line("gym")) // gym v0.1.0 (8b1f2c3d4e5f, 2026-12-01T09:30:00Z) go1.26.8 linux/amd64
package version

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// house is the path that the modules of this repository begin with.
const house = "github.com/lensgo/lens"

// Line is what a command prints when it is asked for its version: the name, the version, what that was in version control, Go and
// the system.
func Line(name string) string {
	b := running()
	return fmt.Sprintf("%s %s (%s) %s %s/%s", name, b.version, b.origin(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Short is the version alone, with the revision where there is no version.
func Short() string {
	b := running()
	if b.version == unversioned && b.revision != "" {
		return b.version + " " + b.revision
	}
	return b.version
}

// Of is the version of one of our modules in the running program, such as v0.1.0. In one of our commands that was built in a clone it
// is the command's, which has the revision. It is "(devel)" where the module is a folder of which version control was not asked.
func Of(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return folder
	}
	return of(module, info)
}

// folder is what the go command says for the version of a module that it took from a folder and of which it knows no more.
const folder = "(devel)"

func of(module string, info *debug.BuildInfo) string {
	for _, dep := range info.Deps {
		if dep.Path != module {
			continue
		}
		if dep.Replace != nil {
			dep = dep.Replace // a folder has no version
		}
		if dep.Version != "" && dep.Version != folder {
			return dep.Version
		}
	}
	if v := info.Main.Version; v != "" && (info.Main.Path == house || strings.HasPrefix(info.Main.Path, house+"/")) {
		return v
	}
	return folder
}

// unversioned is the version of a build of which the go command knew none: go run, a test, -buildvcs=false.
const unversioned = "devel"

// build is the origin of a program. What is not known is empty.
type build struct {
	version  string
	revision string // as short as people write it
	modified bool   // there were changes that no revision has
	time     string
	tag      string // names the revision where the go command has not seen it: in go install module@version
}

func running() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: unversioned}
	}
	return read(info)
}

// revisionOf finds the revision in a version that the go command made up for a commit without a tag.
var revisionOf = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(\+|$)`)

func read(info *debug.BuildInfo) build {
	b := build{version: unversioned}
	if v := info.Main.Version; v != "" && v != folder {
		b.version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			b.modified = s.Value == "true"
		case "vcs.time":
			b.time = s.Value
		}
	}
	if b.revision != "" || b.version == unversioned {
		return b
	}
	if found := revisionOf.FindStringSubmatch(b.version); found != nil {
		b.revision = found[1]
	} else if dir, ours := strings.CutPrefix(info.Main.Path, house); ours {
		b.tag = strings.TrimPrefix(dir+"/"+b.version, "/")
	}
	return b
}

// origin is what stands in brackets behind the version.
func (b build) origin() string {
	out := b.revision
	switch {
	case out != "":
	case b.tag != "":
		out = "tag " + b.tag
	default:
		out = "unknown revision"
	}
	if b.modified {
		out += ", modified"
	}
	if b.time != "" {
		out += ", " + b.time
	}
	return out
}
