package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// proxy is a folder of modules in the layout of the GOPROXY protocol, so that the go command can take a release from it that
// nobody has published.
type proxy struct{ dir string }

// url is what goes into GOPROXY.
func (p proxy) url() string { return fileURL(p.dir) }

func fileURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
}

// checksum is a line of go.sum. The version of a go.mod alone ends in "/go.mod".
type checksum struct {
	of   module.Version
	hash string
}

// add puts a version of a module into the proxy, with the files that it has in a commit or tree of a repository. The
// checksums are those that everybody will find.
func (p proxy) add(r repo, m mod, version, tree string, when time.Time) ([]checksum, error) {
	v := module.Version{Path: m.path, Version: version}
	base, err := p.base(v)
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, when.UTC()})
	if err != nil {
		return nil, err
	}
	goMod, err := r.read(m.file("go.mod"))
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	dir := m.dir
	if dir == "." {
		dir = ""
	}
	if err := zip.CreateFromVCS(&files, v, r.dir, tree, dir); err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		base + ".info": info,
		base + ".mod":  goMod,
		base + ".zip":  files.Bytes(),
		filepath.Join(filepath.Dir(base), "list"): []byte(version + "\n"),
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return nil, err
		}
	}
	return sums(v, base+".zip", goMod)
}

// base is the name that the files of a version begin with, in a folder that is there.
func (p proxy) base(v module.Version) (string, error) {
	path, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(v.Version)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.dir, filepath.FromSlash(path), "@v")
	return filepath.Join(dir, version), os.MkdirAll(dir, 0o755)
}

func sums(v module.Version, zipFile string, goMod []byte) ([]checksum, error) {
	all, err := dirhash.HashZip(zipFile, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(goMod)), nil
	})
	return []checksum{{v, all}, {module.Version{Path: v.Path, Version: v.Version + "/go.mod"}, mod}}, err
}
