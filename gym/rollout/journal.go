package rollout

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
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
// goroutine at a time, and is durable within a second.
type journal struct {
	mu       sync.Mutex
	output   *appendFile
	failures *appendFile // nil until the first failure of a run
	files    results.Files
	buf      []byte
	broken   error // why lines could not be written or made durable: nothing is written any more
	flush    func(*os.File) error

	written chan struct{} // holds a token while lines are not durable yet
	done    chan struct{}
	syncing sync.WaitGroup
}

// openJournal takes the output for this process. Of a resumed run it cuts off what was found torn; a file that has changed
// since is refused, because another collector may have been here in between.
func openJournal(f results.Files, b *before) (*journal, error) {
	if err := os.MkdirAll(filepath.Dir(f.Output), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the output: %w", err)
	}
	output, err := openAppend(f.Output)
	if err != nil {
		return nil, fmt.Errorf("cannot open the output: %w", err)
	}
	j := &journal{output: output, files: f, written: make(chan struct{}, 1), done: make(chan struct{}), flush: durable.Sync}
	j.syncing.Go(j.keepDurable)
	if err := tryLock(output.f); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot collect into %s: %w", f.Output, err), j.close())
	}
	if !b.resumed {
		return j, nil
	}
	err = output.cutTorn(b.output)
	if err == nil && b.failures.size() > 0 {
		if j.failures, err = openAppend(f.Failures); err == nil {
			err = j.failures.cutTorn(b.failures)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot resume %s: %w", f.Output, err), j.close())
	}
	return j, nil
}

// clear empties what earlier runs left: first the files that say what the results are of, then the results.
func (j *journal) clear(first ...string) error {
	for _, paths := range [][]string{first, {j.files.Failures, j.files.Aggregate}} {
		for _, path := range paths {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot remove what an earlier run left: %w", err)
			}
		}
		if err := durable.SyncFolder(filepath.Dir(j.files.Output)); err != nil {
			return fmt.Errorf("cannot remove what an earlier run left: %w", err)
		}
	}
	return j.output.cut(0)
}

// result appends a line to the output.
func (j *journal) result(row responses.Object) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.append(j.output, row)
}

// failure appends a line to the failures file, which begins with the first one.
func (j *journal) failure(row responses.Object) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failures == nil {
		f, err := openAppend(j.files.Failures)
		if err != nil {
			return fmt.Errorf("cannot open the failures file: %w", err)
		}
		j.failures = f
	}
	return j.append(j.failures, row)
}

// append writes a row to one of the files. The lock is held.
func (j *journal) append(to *appendFile, row responses.Object) error {
	if j.broken != nil {
		return j.broken
	}
	j.buf = row.AppendLine(j.buf[:0])
	err := to.append(j.buf)
	j.trim()
	if err != nil { // the run ends; those that still end must not wait for the disk one after the other
		j.broken = err
	}
	select {
	case j.written <- struct{}{}:
	default:
	}
	return err
}

// syncPause is how long lines gather before they are made durable together.
const syncPause = 500 * time.Millisecond

// keepDurable makes lines durable, those of half a second at a time.
func (j *journal) keepDurable() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-j.written:
		case <-j.done:
			return
		}
		pause.Reset(syncPause)
		select {
		case <-pause.C:
		case <-j.done:
			return
		}
		if err := j.sync(); err != nil {
			j.mu.Lock()
			j.broken = err
			j.mu.Unlock()
			return
		}
	}
}

// sync makes durable what was written until now. Writers do not wait for it.
func (j *journal) sync() error {
	j.mu.Lock()
	open := []*os.File{j.output.f}
	fresh := j.output.fresh
	j.output.fresh = false
	if j.failures != nil {
		open = append(open, j.failures.f)
		fresh = fresh || j.failures.fresh
		j.failures.fresh = false
	}
	j.mu.Unlock()
	var err error
	for _, f := range open {
		err = errors.Join(err, j.flush(f))
	}
	if fresh { // a new file's name is the folder's
		err = errors.Join(err, durable.SyncFolder(filepath.Dir(j.files.Output)))
	}
	if err != nil {
		return fmt.Errorf("cannot make what was written durable: %w", err)
	}
	return nil
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

// close makes everything durable and closes the files.
func (j *journal) close() error {
	close(j.done)
	j.syncing.Wait()
	err := j.sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	err = errors.Join(err, j.output.f.Close())
	if j.failures != nil {
		err = errors.Join(err, j.failures.f.Close())
	}
	return err
}

// appendFile grows by whole lines.
type appendFile struct {
	f        *os.File
	w        io.Writer              // f
	truncate func(size int64) error // of f
	size     int64                  // of the whole lines
	torn     bool                   // a part of a line follows them
	fresh    bool                   // its name may not be durable yet
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
	return &appendFile{f: f, w: f, truncate: f.Truncate, size: info.Size(), fresh: true}, nil
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

// diskPatience is how long a disk that refuses a line is waited for before it is tried again, and again: a quota or a full disk may be
// somebody's passing mistake, and a run of hours should not end by it.
var diskPatience = []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// append writes one line. Of a write that fails, what was written of it is taken back, and it is tried again a few times.
func (a *appendFile) append(text []byte) error {
	for _, pause := range diskPatience {
		if a.write(text) == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return a.write(text)
}

func (a *appendFile) write(text []byte) error {
	if err := a.mend(); err != nil {
		return err
	}
	n, err := a.w.Write(text)
	if err == nil {
		a.size += int64(n)
		return nil
	}
	a.torn = n > 0
	return errors.Join(fmt.Errorf("cannot write a line of %d bytes: %w", len(text), err), a.mend())
}

// mend takes back a part of a line. While that cannot be done nothing may follow it, or two lines would become one that is neither; as the
// last of the file a resume cuts it off.
func (a *appendFile) mend() error {
	if !a.torn {
		return nil
	}
	if err := a.truncate(a.size); err != nil {
		return fmt.Errorf("cannot take back a part of a line: %w", err)
	}
	a.torn = false
	return nil
}
