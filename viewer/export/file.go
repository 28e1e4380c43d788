package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// File is a file that is there when it is whole, and not before: it is written under another name. One that ends in .gz or .zst is
// compressed.
type File struct {
	path string
	f    *os.File
	zip  io.WriteCloser // nil when it is not compressed
	done bool
}

// Create begins a file. One that is there already is an error, but with force it is replaced when the new one is whole. Call Commit
// or Abort. The file is its user's alone (0600), as the data folder is; one that is replaced keeps its mode.
func Create(path string, force bool) (*File, error) {
	info, err := os.Stat(path)
	mode := os.FileMode(0o600)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("cannot write %s: it is a folder", path)
	case err == nil && !force:
		return nil, fmt.Errorf("cannot write %s: it is there already; --force replaces it", path)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	out := &File{path: path, f: f}
	if err := errors.Join(f.Chmod(mode), out.compress()); err != nil {
		out.Abort()
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return out, nil
}

// cutCompression takes the ending of a compressed file off its name.
func cutCompression(path string) (rest, ending string) {
	for _, ending := range []string{".gz", ".zst"} {
		if rest, ok := strings.CutSuffix(path, ending); ok {
			return rest, ending
		}
	}
	return path, ""
}

func (f *File) compress() (err error) {
	switch _, ending := cutCompression(f.path); ending {
	case ".gz":
		f.zip = gzip.NewWriter(f.f)
	case ".zst":
		f.zip, err = zstd.NewWriter(f.f, zstd.WithEncoderConcurrency(1))
	}
	return err
}

// Write writes to the file.
func (f *File) Write(p []byte) (n int, err error) {
	if f.zip != nil {
		n, err = f.zip.Write(p)
	} else {
		n, err = f.f.Write(p)
	}
	if err != nil {
		return n, fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	return n, nil
}

// Commit ends the file and gives it its name. When it fails nothing is there, or what was.
func (f *File) Commit() error {
	var err error
	if f.zip != nil {
		err = f.zip.Close()
	}
	if err = errors.Join(err, f.f.Sync(), f.f.Close()); err == nil {
		err = os.Rename(f.f.Name(), f.path)
	}
	f.done = err == nil
	if err != nil {
		f.Abort()
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	return nil
}

// Abort removes what was written, unless it was committed.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.f.Close()
	os.Remove(f.f.Name())
}
