package ingest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// shortFile fails as a full disk does: it takes a part of the line.
type shortFile struct {
	bytes.Buffer
	room        int
	truncateErr error
	synced      bool
}

var errFull = errors.New("disk is full")

func (f *shortFile) Write(b []byte) (int, error) {
	if len(b) <= f.room {
		f.room -= len(b)
		return f.Buffer.Write(b)
	}
	n, _ := f.Buffer.Write(b[:f.room])
	f.room = 0
	return n, errFull
}

func (f *shortFile) Truncate(size int64) error {
	if f.truncateErr != nil {
		return f.truncateErr
	}
	f.Buffer.Truncate(int(size))
	return nil
}

func (f *shortFile) Sync() error  { f.synced = true; return nil }
func (f *shortFile) Close() error { return nil }

func TestLineFile_takes_half_a_line_back(t *testing.T) {
	f := &shortFile{room: 10}
	l := &lineFile{path: "x", f: f}
	if err := l.write([]byte("first\n")); err != nil {
		t.Fatal(err)
	}
	if err := l.write([]byte("second\n")); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
	if got := f.String(); got != "first\n" {
		t.Errorf("file has %q, want the first line only", got)
	}
	f.room = 100
	if err := l.write([]byte("third\n")); err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != "first\nthird\n" {
		t.Errorf("file has %q, want whole lines", got)
	}
}

func TestLineFile_writes_nothing_behind_half_a_line(t *testing.T) {
	errStuck := errors.New("cannot truncate")
	f := &shortFile{room: 3, truncateErr: errStuck}
	l := &lineFile{path: "x", f: f}
	if err := l.write([]byte("first\n")); !errors.Is(err, errFull) || !errors.Is(err, errStuck) {
		t.Errorf("error %v, want both", err)
	}
	f.room = 100
	if err := l.write([]byte("second\n")); !errors.Is(err, errStuck) {
		t.Errorf("error %v, want %v", err, errStuck)
	}
	f.truncateErr = nil
	if err := l.write([]byte("third\n")); err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != "third\n" {
		t.Errorf("file has %q, want the third line only", got)
	}
}

func TestLineFile_close(t *testing.T) {
	f := &shortFile{room: 100}
	l := &lineFile{path: "x", f: f}
	if err := l.close(); err != nil || !f.synced {
		t.Errorf("close: %v, synced %v; want no error and a sync", err, f.synced)
	}
	if err := l.write([]byte("late\n")); !errors.Is(err, errClosed) {
		t.Errorf("error %v, want %v", err, errClosed)
	}
	if err := l.close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestLastLine(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 150<<10)
	for _, tt := range []struct{ before, tail []byte }{
		{nil, nil},
		{[]byte("a\n"), nil},
		{nil, []byte("a")},
		{[]byte("a\nb\n"), long},
		{append(bytes.Clone(long), '\n'), long},
		{nil, long},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, append(bytes.Clone(tt.before), tt.tail...), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lastLine(f, int64(len(tt.before)+len(tt.tail)))
		if err != nil || !bytes.Equal(got, tt.tail) {
			t.Errorf("last line has %d bytes, error %v; want %d bytes", len(got), err, len(tt.tail))
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
