package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// appendFile is what a lineFile needs of an *os.File.
type appendFile interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// diskFile is a file opened to append.
type diskFile struct{ *os.File }

// Truncate cuts the file. Windows gives a handle that only appends no right to do so; another one has it.
func (f diskFile) Truncate(size int64) error {
	if runtime.GOOS == "windows" {
		return os.Truncate(f.Name(), size)
	}
	return f.File.Truncate(size)
}

// lineFile appends whole lines to a file.
type lineFile struct {
	path string
	mu   sync.Mutex
	f    appendFile
	size int64 // where the last whole line ends
	torn bool  // there may be a part of a line behind size
	shut bool
}

var errClosed = errors.New("file is closed")

// openLines opens path to append to, and cuts a torn last line off.
func openLines(path string, log *slog.Logger) (*lineFile, error) {
	opened, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot open trace file: %w", err)
	}
	f := diskFile{opened}
	size, err := mend(f, path, log)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &lineFile{path: path, f: f, size: size}, nil
}

// mend makes a file that was left without a last line break ready to append to, and returns its size.
func mend(f diskFile, path string, log *slog.Logger) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("cannot open trace file: %w", err)
	}
	size := info.Size()
	if !info.Mode().IsRegular() || size == 0 {
		return size, nil
	}
	tail, err := lastLine(f, size)
	if err != nil {
		return 0, fmt.Errorf("cannot read end of trace file %s: %w", path, err)
	}
	if len(tail) == 0 {
		return size, nil
	}
	if _, err := decodeLine(tail); err == nil {
		if _, err := f.Write([]byte{'\n'}); err != nil {
			return 0, fmt.Errorf("cannot end last line of trace file %s: %w", path, err)
		}
		return size + 1, nil
	}
	size -= int64(len(tail))
	if err := f.Truncate(size); err != nil {
		return 0, fmt.Errorf("cannot cut torn last line of trace file %s: %w", path, err)
	}
	log.Warn("cut torn last line of trace file", "path", path, "bytes", len(tail))
	return size, nil
}

// lastLine returns what stands behind the last line break of a file.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	var tail []byte
	const step = 64 << 10
	for end := size; end > 0; {
		start := max(end-step, 0)
		block := make([]byte, end-start)
		if _, err := f.ReadAt(block, start); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			return append(block[i+1:], tail...), nil
		}
		tail = slices.Concat(block, tail)
		end = start
	}
	return tail, nil
}

// keep decodes a request and appends it as a line. A request without spans leaves none.
func (l *lineFile) keep(req []byte, maxDecoded int64) (size int, err error) {
	request := ptraceotlp.NewExportRequest()
	if err := traces.decode(request, req, maxDecoded); err != nil {
		return 0, err
	}
	if request.Traces().ResourceSpans().Len() == 0 {
		return 0, nil
	}
	line, err := encodeLine(request)
	if err != nil {
		return 0, invalid("cannot write request as JSON: %w", err)
	}
	return len(line), l.write(line)
}

// encodeLine returns a request as one line with its line break. Strings that are not UTF-8, which no protobuf library
// would send, get U+FFFD for their bad bytes: JSON cannot hold them, and one of them is no reason to lose a batch.
func encodeLine(traces ptraceotlp.ExportRequest) ([]byte, error) {
	b, err := traces.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	return append(b, '\n'), nil
}

// write appends one line, or nothing.
func (l *lineFile) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return fmt.Errorf("cannot write to trace file %s: %w", l.path, errClosed)
	}
	if err := l.takeBack(); err != nil {
		return err
	}
	n, err := l.f.Write(line)
	if err == nil && n == len(line) {
		l.size += int64(n)
		return nil
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	l.torn = n > 0
	return errors.Join(fmt.Errorf("cannot write %d bytes to trace file %s: %w", len(line), l.path, err), l.takeBack())
}

// takeBack removes the part of a line that a failed write left. While it fails nothing else is written.
func (l *lineFile) takeBack() error {
	if !l.torn {
		return nil
	}
	if err := l.f.Truncate(l.size); err != nil {
		return fmt.Errorf("cannot cut torn line of trace file %s: %w", l.path, err)
	}
	l.torn = false
	return nil
}

// close syncs and closes the file.
func (l *lineFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return nil
	}
	l.shut = true
	err := l.takeBack()
	if e := l.f.Sync(); e != nil {
		err = errors.Join(err, fmt.Errorf("cannot sync trace file %s: %w", l.path, e))
	}
	if e := l.f.Close(); e != nil {
		err = errors.Join(err, fmt.Errorf("cannot close trace file %s: %w", l.path, e))
	}
	return err
}
