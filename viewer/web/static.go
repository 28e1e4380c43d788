package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:static
var embedded embed.FS

const (
	staticBase  = "/static/"
	placeholder = "/static/HASH/" // in index.html, for the prefix with the real hash
)

// static is the files of the page, compressed once at the start and served from memory.
type static struct {
	hash  string
	files map[string]*staticFile // by path within the folder
	index *staticFile
}

type staticFile struct {
	kind   string
	plain  []byte
	zipped []byte // nil when it would not be shorter
	tag    string
}

// loadStatic reads the folder. All files are served under one hash of the whole folder, so that modules may name each
// other by relative addresses, and none ever meets one of another version.
func loadStatic(files fs.FS) (*static, error) {
	s := &static{files: map[string]*staticFile{}}
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !served(name) {
			return err
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(b))
		sum.Write(b)
		s.files[name] = &staticFile{kind: kindOf(name), plain: b}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the files of the page: %w", err)
	}
	s.hash = hex.EncodeToString(sum.Sum(nil))[:16]
	index, ok := s.files["index.html"]
	if !ok {
		return nil, errors.New("cannot read the files of the page: there is no index.html")
	}
	index.plain = bytes.ReplaceAll(index.plain, []byte(placeholder), []byte(staticBase+s.hash+"/"))
	for _, f := range s.files {
		f.tag = tagOf(f.plain)
		if compressible(f.kind) {
			f.zipped = gzipped(f.plain, gzip.BestCompression)
		}
	}
	s.index = index
	return s, nil
}

// served leaves out what belongs to the making of the page: tests, notes, hidden files.
func served(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || part == "test" || part == "testdata" {
			return false
		}
	}
	switch path.Ext(name) {
	case ".md", ".go", ".py", ".sh":
		return false
	}
	return true
}

func kindOf(name string) string {
	switch ext := path.Ext(name); ext { // the system's table may be wrong or empty
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".webmanifest":
		return "application/json"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	default:
		if kind := mime.TypeByExtension(ext); kind != "" {
			return kind
		}
		return "application/octet-stream"
	}
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasPrefix(kind, "application/json") || kind == "image/svg+xml"
}

// serveStatic answers /static/{hash}/{path}. A page that was loaded before an upgrade asks with the old hash: it is given
// the file, which no cache may keep under that name.
func (h *Handler) serveStatic(w http.ResponseWriter, r *http.Request) {
	hash, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, staticBase), "/")
	f, ok := h.static.files[name]
	if !ok || name == "index.html" {
		h.fail(w, r, notFound("There is no such file.", ""))
		return
	}
	if hash == h.static.hash {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	f.send(w, r, http.StatusOK)
}

// servePage answers with index.html, which finds its view in the address.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	h.static.index.send(w, r, http.StatusOK)
}

func (f *staticFile) send(w http.ResponseWriter, r *http.Request, status int) {
	head := w.Header()
	head.Set("Content-Type", f.kind)
	sendBytes(w, r, status, f.tag, f.plain, f.zipped)
}
