package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const addressName = "address"

// ErrNotRunning says that no viewer runs on a data folder.
var ErrNotRunning = errors.New("no viewer is running")

// SetAddress writes where the running viewer listens, for [Address] in other processes. It holds until Close.
func (s *Store) SetAddress(url string) error {
	if s.readOnly {
		return fmt.Errorf("cannot write address: %w", errReadOnly)
	}
	s.addressMu.Lock()
	defer s.addressMu.Unlock()
	if s.address == nil {
		f, err := lockFile(filepath.Join(s.dir, addressName))
		if err != nil && !errors.Is(err, errNoLock) {
			return fmt.Errorf("cannot write address of data folder %s: %w", s.dir, err)
		}
		s.address = f
	}
	if err := rewrite(s.address, url+"\n"); err != nil {
		return fmt.Errorf("cannot write address of data folder %s: %w", s.dir, err)
	}
	return nil
}

func (s *Store) removeAddress() {
	s.addressMu.Lock()
	defer s.addressMu.Unlock()
	if s.address != nil {
		s.address.Close() // first: an open file cannot be removed everywhere
		os.Remove(filepath.Join(s.dir, addressName))
		s.address = nil
	}
}

// Address returns what the running viewer of a data folder gave to [Store.SetAddress]. The error wraps ErrNotRunning when
// none runs, also when one was killed and could not clean up.
func Address(dir string) (string, error) {
	path := filepath.Join(dir, addressName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !isLocked(path) {
		return "", fmt.Errorf("cannot find viewer of data folder %s: %w", dir, ErrNotRunning)
	}
	if err != nil {
		return "", fmt.Errorf("cannot find viewer of data folder %s: %w", dir, err)
	}
	url := strings.TrimSpace(string(text))
	if url == "" { // between its lock and its write
		return "", fmt.Errorf("cannot find viewer of data folder %s: %w", dir, ErrNotRunning)
	}
	return url, nil
}
