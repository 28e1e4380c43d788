package config

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// EnvExtraRoots names folders in which configurations are looked for, separated as in PATH.
const EnvExtraRoots = "NEMO_GYM_EXTRA_ROOTS"

// root is a place in which relative names are looked for.
type root struct {
	dir  string // "" is the current folder
	fsys fs.FS  // of what this program carries; nil for a folder
}

// builtinPrefix stands before the name of a file that this program carries, in messages.
const builtinPrefix = "builtin:"

// roots are all places, the first one first.
func roots(searchDirs []string) []root {
	var list []root
	seen := map[string]bool{}
	add := func(dir string) {
		if key, err := filepath.Abs(dir); err == nil && !seen[key] {
			seen[key] = true
			list = append(list, root{dir: dir})
		}
	}
	for _, dir := range searchDirs {
		add(dir)
	}
	for _, dir := range filepath.SplitList(os.Getenv(EnvExtraRoots)) {
		if dir != "" {
			add(dir)
		}
	}
	add("")
	return append(list, root{fsys: Builtin()})
}

// join is the path of a name in this root.
func (r root) join(name string) string {
	if r.fsys != nil {
		return builtinPrefix + path.Clean(filepath.ToSlash(name))
	}
	if r.dir == "" {
		return name
	}
	return filepath.Join(r.dir, name)
}

func (r root) has(name string) bool {
	if r.fsys == nil {
		return isFile(r.join(name))
	}
	info, err := fs.Stat(r.fsys, path.Clean(filepath.ToSlash(name)))
	return err == nil && !info.IsDir()
}

// read reads a file that find has found.
func (r root) read(name string) ([]byte, error) {
	if r.fsys != nil {
		return fs.ReadFile(r.fsys, strings.TrimPrefix(name, builtinPrefix))
	}
	return os.ReadFile(name)
}

// find looks a name up. What is nowhere is given as it is, in the current folder.
func find(roots []root, name string) (string, root) {
	if filepath.IsAbs(name) {
		return name, root{}
	}
	for _, r := range roots {
		if r.has(name) {
			return r.join(name), r
		}
	}
	return name, root{}
}

// lookedIn says where a relative name was looked for, when that is more than the current folder.
func lookedIn(roots []root, name string) string {
	if filepath.IsAbs(name) {
		return ""
	}
	var dirs []string
	for _, r := range roots {
		switch {
		case r.fsys != nil:
		case r.dir == "":
			dirs = append(dirs, "the current folder")
		default:
			dirs = append(dirs, r.dir)
		}
	}
	if len(dirs) < 2 {
		return ""
	}
	return " in " + strings.Join(dirs, ", ")
}

// Find looks a file of a data set or a prompt up as configuration files are looked for: in searchDirs, in the folders of
// NEMO_GYM_EXTRA_ROOTS, in the current folder. A name that is nowhere comes back as it is.
func Find(searchDirs []string, name string) string {
	all := roots(searchDirs)
	path, _ := find(all[:len(all)-1], name)
	return path
}

func readProblem(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return "cannot read the file: " + err.Error()
}
