package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const lockName = "lock"

var (
	errLocked = errors.New("is locked")
	errNoLock = errors.New("file system has no locks")
)

// LockedError says that another process writes to the data folder.
type LockedError struct {
	Dir string
	PID int // 0 when it is not known
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("cannot open data folder %s for writing: %s has it open; stop that one, or choose another folder", e.Dir, who)
}

// lockDir takes the writer's lock of a data folder. It is gone with the process, however that ends. Where the file system
// has no locks, as some shared ones of clusters, the error wraps errNoLock and the file is open all the same.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := lockFile(path)
	switch {
	case errors.Is(err, errLocked):
		return nil, &LockedError{Dir: dir, PID: readPID(path)}
	case err != nil && !errors.Is(err, errNoLock):
		return nil, fmt.Errorf("cannot lock data folder %s: %w", dir, err)
	}
	if werr := rewrite(f, strconv.Itoa(os.Getpid())+"\n"); werr != nil {
		f.Close()
		return nil, fmt.Errorf("cannot lock data folder %s: %w", dir, werr)
	}
	return f, err
}

func readPID(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// rewrite gives a file new content.
func rewrite(f *os.File, text string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(text), 0)
	return err
}
