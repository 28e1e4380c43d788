package slate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mostFile bounds what Load reads.
const mostFile = 1 << 30

// Note is one that was not wiped.
type Note struct {
	State  State
	Origin uint32
	Order  uint64 // of two notes of one part the later has the greater
	Body   []byte
}

// Content is what a slate has.
type Content struct {
	Notes   []Note
	Alive   time.Time // when the process last said that it is alive; zero when it never did
	Damaged int       // notes that cannot be read, and units, whose notes nobody can count
}

// Exists reports whether there is a slate in a folder.
func Exists(dir string) bool {
	for _, name := range []string{fileName, syncName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Remove deletes the slate of a folder.
func Remove(dir string) error {
	var errs []error
	for _, name := range []string{fileName, syncName} {
		if err := os.Remove(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Load reads the slate of a folder whose process is gone: what was mapped, or when the system was started anew since, the copy
// that was on the disk.
func Load(dir string) (Content, error) {
	now, err := load(filepath.Join(dir, fileName))
	if err == nil && now.at == thisBoot() {
		return now.Content, nil
	}
	synced, syncErr := load(filepath.Join(dir, syncName))
	switch {
	case syncErr == nil && synced.known:
		return synced.Content, nil
	case err == nil:
		return now.Content, nil
	case syncErr == nil:
		return synced.Content, nil
	}
	return Content{}, fmt.Errorf("cannot read the slate of a process: %w", err)
}

// loaded is what a file has.
type loaded struct {
	Content
	at    boot
	known bool // there is a unit that can be read
}

func load(path string) (loaded, error) {
	f, err := os.Open(path)
	if err != nil {
		return loaded{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return loaded{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostFile {
		return loaded{}, fmt.Errorf("%s is no slate: it has %d bytes", path, info.Size())
	}
	return parse(f, info.Size())
}

// parse reads a file of so many bytes. What is damaged costs nothing else.
func parse(f io.ReaderAt, size int64) (l loaded, err error) {
	head := make([]byte, unitHeader)
	for offset := int64(0); offset+unitHeader <= size; {
		if _, err := f.ReadAt(head, offset); err != nil {
			return l, err
		}
		s, at, ok := readHead(head)
		if !ok || offset+int64(s.size()) > size {
			if len(bytes.Trim(head, "\x00")) > 0 {
				l.Damaged++
			}
			offset += unitSize
			continue
		}
		if !l.known {
			l.known, l.at = true, at
		}
		if offset == 0 {
			if alive := int64(binary.LittleEndian.Uint64(head[atAlive:])); alive > 0 {
				l.Alive = time.Unix(0, alive)
			}
		}
		mem := make([]byte, s.size())
		if _, err := f.ReadAt(mem, offset); err != nil {
			return l, err
		}
		l.read(mem[unitHeader:], s)
		offset += int64(s.size())
	}
	return l, nil
}

// read adds the notes of a unit.
func (l *loaded) read(mem []byte, s shape) {
	for i := range s.slots {
		n, there, damaged := read(mem[i*s.slot : (i+1)*s.slot])
		if there {
			l.Notes = append(l.Notes, n)
		}
		if damaged {
			l.Damaged++
		}
	}
}
