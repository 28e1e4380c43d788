package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// platform is a system and a processor, by Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

var allPlatforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

func parsePlatforms(list string) (out []platform, err error) {
	for name := range strings.SplitSeq(list, ",") {
		system, arch, found := strings.Cut(name, "/")
		if !found || system == "" || arch == "" {
			return nil, fmt.Errorf("%q is no platform; want one such as linux/amd64", name)
		}
		out = append(out, platform{system, arch})
	}
	return out, nil
}

// documents are the files of the repository that go into each archive.
var documents = []string{"LICENSE", "README.md", "CHANGELOG.md"}

// archive builds the programs for a platform and packs them with what belongs to them. The same release and the same version of
// Go give the same bytes, wherever it is built.
func (l *lab) archive(ctx context.Context, p platform, to string) error {
	bin := filepath.Join(l.work, "bin-"+p.os+"-"+p.arch)
	files := map[string]file{}
	linked := map[string]*debug.Module{}
	for _, program := range programs {
		built, info, err := l.build(ctx, p, program, bin)
		if err != nil {
			return err
		}
		files[filepath.Base(built)] = file{built, 0o755}
		for _, dep := range info.Deps {
			linked[dep.Path] = dep
		}
	}
	for _, name := range documents {
		files[name] = file{filepath.Join(l.repo.dir, name), 0o644}
	}
	if err := l.licenses(ctx, linked, files); err != nil {
		return err
	}
	name := l.archiveName(p)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return pack(filepath.Join(to, name+".tar.gz"), name, files, l.when)
}

// archiveName is the name of an archive, without its ending, and of the folder in it.
func (c *release) archiveName(p platform) string {
	return fmt.Sprintf("lens_%s_%s_%s", c.version, p.os, p.arch)
}

// build builds a program from the commit of the release, and looks whether it knows that.
func (l *lab) build(ctx context.Context, p platform, program, to string) (string, *debug.BuildInfo, error) {
	m := l.owner(program)
	dir := filepath.Join(l.repo.dir, m.dir)
	env := append(slices.Clip(l.env), "GOOS="+p.os, "GOARCH="+p.arch)
	bin := filepath.Join(to, path.Base(program)+exe(p.os))
	pkg := "./" + strings.TrimPrefix(program, m.dir+"/")
	if _, err := command(ctx, dir, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", bin, pkg); err != nil {
		return "", nil, fmt.Errorf("cannot build %s for %s: %w", program, p, err)
	}
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		return "", nil, err
	}
	if err := l.origin(info); err != nil {
		return "", nil, fmt.Errorf("cannot release %s for %s: %w", program, p, err)
	}
	return bin, info, nil
}

// exe is how the name of a program ends.
func exe(system string) string {
	if system == "windows" {
		return ".exe"
	}
	return ""
}

// origin checks that a program was built from the release and nothing else.
func (l *lab) origin(info *debug.BuildInfo) error {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if info.Main.Version != l.version || settings["vcs.revision"] != l.commit || settings["vcs.modified"] != "false" {
		return fmt.Errorf("it was built from %s, revision %s, modified: %s; want %s, revision %s, unmodified",
			info.Main.Version, settings["vcs.revision"], settings["vcs.modified"], l.version, l.commit)
	}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			return fmt.Errorf("it was built with %s replaced by %s", dep.Path, dep.Replace.Path)
		}
		ours := slices.ContainsFunc(l.modules, func(m mod) bool { return m.path == dep.Path })
		if ours && dep.Version != l.version {
			return fmt.Errorf("it was built with %s of %s", dep.Path, dep.Version)
		}
	}
	return nil
}

// file is a file of an archive.
type file struct {
	from string
	mode int64
}

// licenses adds the terms of everything that is linked into the programs: most ask to go with the binary.
func (l *lab) licenses(ctx context.Context, linked map[string]*debug.Module, files map[string]file) error {
	out, err := command(ctx, l.work, l.env, "go", "env", "GOROOT", "GOMODCACHE")
	if err != nil {
		return err
	}
	goroot, cache, _ := strings.Cut(strings.TrimSpace(out), "\n")
	folders := map[string]string{"go": goroot}
	for _, m := range linked {
		if strings.HasPrefix(m.Path+"/", l.house()+"/") {
			continue // the archive's own
		}
		dir, err := module.EscapePath(m.Path)
		if err != nil {
			return err
		}
		version, err := module.EscapeVersion(m.Version)
		if err != nil {
			return err
		}
		folders[m.Path] = filepath.Join(cache, filepath.FromSlash(dir)+"@"+version)
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		found, err := terms(folders[name])
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("cannot find the license of %s in %s", name, folders[name])
		}
		for _, f := range found {
			files[path.Join("licenses", name, filepath.Base(f))] = file{f, 0o644}
		}
	}
	return nil
}

// terms lists the files of a folder that say under which terms it is given.
func terms(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		for _, word := range []string{"LICENSE", "LICENCE", "UNLICENSE", "COPYING", "NOTICE", "PATENTS"} {
			if e.Type().IsRegular() && strings.HasPrefix(name, word) {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out, err
}

// pack writes an archive with one folder. Owners, times and the order of files are always the same.
func pack(to, folder string, files map[string]file, when time.Time) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	zipped := gzip.NewWriter(out)
	packed := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content, err := os.ReadFile(files[name].from)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join(folder, name), Mode: files[name].mode, Size: int64(len(content)), ModTime: when.UTC(), Format: tar.FormatPAX}
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		if _, err := packed.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(packed.Close(), zipped.Close())
}

// writeSums writes SHA256SUMS beside the archives, for sha256sum -c.
func writeSums(dir string) error {
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, name := range archives {
		sum, err := sha256Of(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sum, filepath.Base(name))
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(lines.String()), 0o644)
}

func sha256Of(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}
