package rollout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/viewer/ingest"
)

// source is the input, readable twice: a file is opened again, anything else (a pipe, an example that the program carries)
// is kept.
type source struct {
	path string
	data []byte // nil of a file
}

// OpenTasks opens a file of tasks as [Prepare] does: decompressed.
func OpenTasks(path string) (io.ReadCloser, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	return s.open()
}

func openSource(path string) (source, error) {
	info, err := os.Stat(path)
	if data, ok := config.BuiltinData(path); ok && errors.Is(err, fs.ErrNotExist) {
		return source{path: path, data: data}, nil
	}
	if err != nil {
		return source{}, plainPathError(err)
	}
	if info.IsDir() {
		return source{}, fmt.Errorf("%s is a folder; a JSONL file is needed", path)
	}
	s := source{path: path}
	if info.Mode().IsRegular() {
		return s, nil
	}
	r, err := s.open()
	if err != nil {
		return source{}, err
	}
	s.data, err = io.ReadAll(r)
	return s, errors.Join(err, r.Close())
}

func plainPathError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// open reads the text from its beginning, decompressed.
func (s source) open() (io.ReadCloser, error) {
	if s.data != nil {
		return io.NopCloser(bytes.NewReader(s.data)), nil
	}
	r, err := ingest.OpenFile(s.path)
	if err != nil {
		return nil, plainPathError(err)
	}
	return r, nil
}
