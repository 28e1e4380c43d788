package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// mod is a module of the repository.
type mod struct {
	dir      string // in the repository, with slashes; "." is its root
	path     string
	released bool     // go.work uses it, so it gets a tag; others are for those who work in the repository
	needs    []string // modules of the repository that it requires, by path
}

// tag is the name of the tag by which the go command finds a version of the module.
func (m mod) tag(version string) string { return path.Join(m.dir, version) }

// file is the name of a file of the module in the repository.
func (m mod) file(name string) string { return path.Join(m.dir, name) }

// modules lists the modules of the repository, each after those that it needs.
func modules(ctx context.Context, r repo) ([]mod, error) {
	work, err := readWorkspace(r)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, use := range work.Use {
		used[path.Clean(use.Path)] = true
	}
	files, err := r.git(ctx, "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	var all []mod
	parsed := map[string]*modfile.File{}
	for name := range strings.FieldsSeq(files) {
		dir := path.Dir(name)
		if strings.Contains("/"+dir+"/", "/testdata/") {
			continue
		}
		f, err := readModFile(r, name)
		if err != nil {
			return nil, err
		}
		parsed[f.Module.Mod.Path] = f
		all = append(all, mod{dir: dir, path: f.Module.Mod.Path, released: used[dir]})
	}
	for i, m := range all {
		for _, require := range parsed[m.path].Require {
			if parsed[require.Mod.Path] != nil {
				all[i].needs = append(all[i].needs, require.Mod.Path)
			}
		}
	}
	return inOrder(all)
}

// inOrder sorts modules so that each comes after those that it needs.
func inOrder(all []mod) ([]mod, error) {
	slices.SortFunc(all, func(a, b mod) int { return cmp.Compare(a.path, b.path) })
	var out []mod
	done := map[string]bool{}
	for len(out) < len(all) {
		before := len(out)
		for _, m := range all {
			if !done[m.path] && !slices.ContainsFunc(m.needs, func(need string) bool { return !done[need] }) {
				done[m.path] = true
				out = append(out, m)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("cannot order %d modules: some of them need each other", len(all)-len(out))
		}
	}
	for _, m := range out {
		for _, need := range out {
			if m.released && !need.released && slices.Contains(m.needs, need.path) {
				return nil, fmt.Errorf("cannot release %s: it requires %s, which go.work does not use, so there is no version of it", m.path, need.path)
			}
		}
	}
	return out, nil
}

func readModFile(r repo, name string) (*modfile.File, error) {
	text, err := r.read(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// pin makes a module require the others at a version. One that is released gets them from there and replaces none.
func pin(r repo, m mod, version string) error {
	f, err := readModFile(r, m.file("go.mod"))
	if err != nil {
		return err
	}
	for _, need := range m.needs {
		if err := f.AddRequire(need, version); err != nil {
			return err
		}
		if m.released {
			if err := f.DropReplace(need, ""); err != nil {
				return err
			}
		}
	}
	f.Cleanup()
	if m.released && len(f.Replace) > 0 {
		return fmt.Errorf("cannot release %s: it replaces %s, and go install refuses a program with replaces", m.path, f.Replace[0].Old.Path)
	}
	text, err := f.Format()
	if err != nil {
		return err
	}
	return r.write(m.file("go.mod"), text)
}

func readWorkspace(r repo) (*modfile.WorkFile, error) {
	text, err := r.read("go.work")
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork("go.work", text, nil)
}

// pinWorkspace makes the workspace, and nobody else, take the version of each module from its folder: without that the go command
// would ask for what the module files of the release name, and find it only once it is published.
func pinWorkspace(r repo, all []mod, version string) error {
	work, err := readWorkspace(r)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.released {
			continue
		}
		if err := work.AddReplace(m.path, version, "./"+strings.TrimPrefix(m.dir, "."), ""); err != nil {
			return err
		}
	}
	work.Cleanup()
	return r.write("go.work", modfile.Format(work.Syntax))
}

// addSums puts the checksums of modules into a go.sum, where the go command would put them.
func addSums(r repo, m mod, added []checksum) error {
	text, err := r.read(m.file("go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var sums []checksum
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return fmt.Errorf("cannot read %s: %q is not a module, a version and a hash", m.file("go.sum"), line)
		}
		sums = append(sums, checksum{module.Version{Path: f[0], Version: f[1]}, f[2]})
	}
	byVersion := map[module.Version]string{}
	var order []module.Version
	for _, s := range append(sums, added...) {
		byVersion[s.of] = s.hash
		order = append(order, s.of)
	}
	module.Sort(order)
	var out bytes.Buffer
	for _, of := range slices.Compact(order) {
		fmt.Fprintf(&out, "%s %s %s\n", of.Path, of.Version, byVersion[of])
	}
	return r.write(m.file("go.sum"), out.Bytes())
}
