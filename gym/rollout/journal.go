package rollout

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/lensgo/lens/gym/responses"
)

var errLocked = errors.New("another collector is writing it")

// probeLock finds out early whether another collector works on an output. Run takes the lock itself.
func probeLock(output string) error {
	f, err := os.OpenFile(output, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use the output: %w", err)
	}
	defer f.Close()
	if err := tryLock(f); err != nil {
		return fmt.Errorf("cannot collect into %s: %w", output, err)
	}
	return nil
}

// journal is the output and the failures file of a run that is going on. Each line is written with one call, by one
// goroutine at a time.
type journal struct {
	mu       sync.Mutex
	output   *appendFile
	failures *appendFile // nil until the first failure of a run
	files    files
	buf      []byte
}

// openJournal takes the output for this process. Of a resumed run it cuts off what was found torn; a file that has changed
// since is refused, because another collector may have been here in between.
func openJournal(f files, b *before) (*journal, error) {
	if err := os.MkdirAll(filepath.Dir(f.output), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the output: %w", err)
	}
	output, err := openAppend(f.output)
	if err != nil {
		return nil, fmt.Errorf("cannot open the output: %w", err)
	}
	j := &journal{output: output, files: f}
	if err := tryLock(output.f); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot collect into %s: %w", f.output, err), j.close())
	}
	if !b.resumed {
		return j, nil
	}
	err = output.cutTorn(b.output)
	if err == nil && b.failures.size() > 0 {
		if j.failures, err = openAppend(f.failures); err == nil {
			err = j.failures.cutTorn(b.failures)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot resume %s: %w", f.output, err), j.close())
	}
	return j, nil
}

// clear empties what earlier runs left.
func (j *journal) clear() error {
	if err := j.output.cut(0); err != nil {
		return err
	}
	for _, path := range []string{j.files.failures, j.files.aggregate} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove what an earlier run left: %w", err)
		}
	}
	return nil
}

// result appends a line to the output.
func (j *journal) result(row responses.Object) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = row.AppendLine(j.buf[:0])
	err := j.output.append(j.buf)
	j.trim()
	return err
}

// failure appends a line to the failures file, which begins with the first one.
func (j *journal) failure(row responses.Object) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failures == nil {
		f, err := openAppend(j.files.failures)
		if err != nil {
			return fmt.Errorf("cannot open the failures file: %w", err)
		}
		j.failures = f
	}
	j.buf = row.AppendLine(j.buf[:0])
	err := j.failures.append(j.buf)
	j.trim()
	return err
}

// trim lets the buffer of one huge row go.
func (j *journal) trim() {
	const most = 1 << 20
	if cap(j.buf) > most {
		j.buf = nil
	}
}

// reader reads the output from its beginning, through the same open file.
func (j *journal) reader() io.Reader {
	j.mu.Lock()
	defer j.mu.Unlock()
	return io.NewSectionReader(j.output.f, 0, j.output.size)
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.output.f.Close()
	if j.failures != nil {
		err = errors.Join(err, j.failures.f.Close())
	}
	return err
}

// appendFile grows by whole lines.
type appendFile struct {
	f    *os.File
	size int64 // of the whole lines
}

func openAppend(path string) (*appendFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &appendFile{f: f, size: info.Size()}, nil
}

func (a *appendFile) cut(size int64) error {
	if a.size != size {
		if err := a.f.Truncate(size); err != nil {
			return fmt.Errorf("cannot cut %s to its first %d bytes: %w", a.f.Name(), size, err)
		}
		a.size = size
	}
	return nil
}

// cutTorn takes off what stands behind the last line end.
func (a *appendFile) cutTorn(e extent) error {
	if a.size != e.size() {
		return fmt.Errorf("%s was changed by another program while the run began", a.f.Name())
	}
	return a.cut(e.whole)
}

// append writes one line; when that fails, what was written of it is taken back.
func (a *appendFile) append(text []byte) error {
	n, err := a.f.Write(text)
	if err == nil {
		a.size += int64(n)
		return nil
	}
	err = fmt.Errorf("cannot write a line of %d bytes: %w", len(text), err)
	if n > 0 {
		err = errors.Join(err, a.f.Truncate(a.size))
	}
	return err
}
