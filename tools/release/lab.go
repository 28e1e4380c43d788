package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// programs are the commands of a release, by their folders.
var programs = []string{"cmd/gym", "cmd/lens", "lensvet/cmd/lensvet"}

// lab is where the go command sees a release as everybody will: each module by itself, the others from a module proxy, nothing
// of it in the module cache yet.
type lab struct {
	*release
	env  []string
	work string
}

// newLab makes a lab in a folder. Modules of others come from the module cache of this machine, and what it lacks from where they
// come from otherwise.
func newLab(ctx context.Context, c *release, work string) (*lab, error) {
	env, err := c.goEnv(ctx, filepath.Join(work, "modules"))
	return &lab{release: c, env: env, work: work}, err
}

// goEnv is the environment of go commands, with a module cache of their own.
func (c *release) goEnv(ctx context.Context, cache string) ([]string, error) {
	text, err := command(ctx, c.repo.dir, nil, "go", "env", "-json", "GOMODCACHE", "GOPROXY", "GOCACHE", "GOTOOLCHAIN")
	if err != nil {
		return nil, err
	}
	var have struct{ GOMODCACHE, GOPROXY, GOCACHE, GOTOOLCHAIN string }
	if err := json.Unmarshal([]byte(text), &have); err != nil {
		return nil, err
	}
	return []string{
		"GOENV=off", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=", "GOARM64=", "GOFIPS140=", "GODEBUG=", "CGO_ENABLED=0",
		"GOFLAGS=-modcacherw", // so that it can be removed
		"GOPROXY=" + strings.Join([]string{c.proxy.url(), fileURL(filepath.Join(have.GOMODCACHE, "cache", "download")), have.GOPROXY}, ","),
		// Even a GONOPROXY that matches nothing makes go install look first, without any proxy, at what the module cache has, and
		// there the root module that is found hides a nested one that is not.
		"GOPRIVATE=", "GONOPROXY=",
		"GOSUMDB=off", // it cannot know the release yet; for the archives go.sum says what everything else has to be
		"GOMODCACHE=" + cache, "GOCACHE=" + have.GOCACHE, "GOTOOLCHAIN=" + have.GOTOOLCHAIN,
	}, nil
}

// house is the path that all modules begin with.
func (c *release) house() string {
	for _, m := range c.modules {
		if m.dir == "." {
			return m.path
		}
	}
	return ""
}

// check takes the release as its users will: module files are complete, and go install builds the programs, which say what
// they are.
func (l *lab) check(ctx context.Context, say io.Writer) error {
	for _, m := range l.modules {
		fmt.Fprintf(say, "checking %s\n", m.path)
		if _, err := command(ctx, filepath.Join(l.repo.dir, m.dir), l.env, "go", "mod", "tidy", "-diff"); err != nil {
			return fmt.Errorf("cannot release %s with these module files: %w", m.path, err)
		}
	}
	for _, program := range programs {
		fmt.Fprintf(say, "checking go install %s/%s@%s\n", l.house(), program, l.version)
		if err := l.install(ctx, program); err != nil {
			return err
		}
		said, err := command(ctx, l.work, nil, l.installed(program), "version")
		if err != nil {
			return err
		}
		if want := path.Base(program) + " " + l.version + " "; !strings.HasPrefix(said, want) {
			return fmt.Errorf("cannot release %s: what go install builds says it is %q, and not %q", program, said, want)
		}
	}
	return nil
}

// install is go install of a program at the version.
func (l *lab) install(ctx context.Context, program string) error {
	env := append(slices.Clip(l.env), "GOBIN="+filepath.Dir(l.installed(program)))
	_, err := command(ctx, l.work, env, "go", "install", "-trimpath", l.house()+"/"+program+"@"+l.version)
	return err
}

// installed is the path of what install builds.
func (l *lab) installed(program string) string {
	return filepath.Join(l.work, "bin", path.Base(program)+exe(runtime.GOOS))
}

// owner is the module that a program is in.
func (l *lab) owner(program string) mod {
	for dir := program; ; dir = path.Dir(dir) {
		for _, m := range l.modules {
			if m.dir == dir {
				return m
			}
		}
		if dir == "." {
			return mod{}
		}
	}
}
