// Package durable writes files that outlive a crash of the machine: what a function here has written is on the disk when it returns.
package durable

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Replace writes a file so that it appears whole or not at all, in the place of one that may be there. Its folder is made when it is missing.
func Replace(path string, write func(w *bufio.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	temp := path + ".tmp"
	if err := Write(temp, write); err != nil {
		return err
	}
	return Rename(temp, path)
}

// Write makes a file, or empties the one that is there, and writes it. When that fails there is none.
func Write(path string, write func(w *bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err == nil {
		err = errors.Join(w.Flush(), Sync(f))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Rename gives a file of [Write] another name in its folder, in the place of one that may be there. When that fails it is removed.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Remove(from))
	}
	return SyncFolder(filepath.Dir(to))
}

// Sync puts on the disk what was written to a file, where that can be: not of a pipe or a device.
func Sync(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// SyncFolder puts on the disk which files a folder has, where that can be: Windows and some file systems see to it themselves.
func SyncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(Sync(d), d.Close())
}
