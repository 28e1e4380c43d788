package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/internal/filelock"
)

// State is what a fleet in the foreground leaves for others to find it: a file of the user's own, which holds a lock as long
// as the supervisor lives.
type State struct {
	Head    string    `json:"head"` // address
	PID     int       `json:"pid"`  // of the supervisor
	Started time.Time `json:"started"`
	Folder  string    `json:"folder"` // that it was started in
	Config  []string  `json:"config"` // files
}

// machine names this one.
var machine = os.Hostname

// stateFolder is where the files of this machine are, of this user alone. Machines may share a home folder, and a process number
// means another process on each.
func stateFolder() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("cannot find a folder for what runs: %w; set XDG_STATE_HOME", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	name, err := machine()
	if err != nil {
		return "", fmt.Errorf("cannot tell this machine from others that share the folder for what runs: %w", err)
	}
	return filepath.Join(base, "nemo-gym", "fleets", name), nil
}

func statePath(folder, head string) string {
	name := strings.Map(func(r rune) rune {
		if r == ':' || r == '/' || r == '\\' || r == '[' || r == ']' {
			return '_'
		}
		return r
	}, head)
	return filepath.Join(folder, name+".json")
}

// Record writes the file of a fleet, until forget is called.
func (s State) Record() (forget func(), err error) {
	folder, err := stateFolder()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder for what runs: %w", err)
	}
	path := statePath(folder, s.Head)
	f, err := lockedState(path)
	if err != nil {
		return nil, fmt.Errorf("cannot record what runs at %s: %w", s.Head, err)
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = errors.Join(f.Truncate(0), f.Sync())
	}
	if err == nil {
		_, err = f.WriteAt(append(text, '\n'), 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot record what runs: %w", err)
	}
	return func() {
		os.Remove(path) //nolint:errcheck // a file without a lock is nobody's
		f.Close()
	}, nil
}

// lockedState opens a file and takes its lock. Somebody who looks for what runs may hold that for a moment, and take a file
// away that nobody held.
func lockedState(path string) (f *os.File, err error) {
	for range 50 {
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, err
		}
		if err = filelock.Try(f); err == nil {
			if named(f, path) {
				return f, nil
			}
			err = errors.New("the file was taken away")
		}
		f.Close()
		time.Sleep(10 * time.Millisecond)
	}
	return nil, fmt.Errorf("cannot lock %s: %w", path, err)
}

// named tells whether an open file is still the one that its path names.
func named(f *os.File, path string) bool {
	opened, openErr := f.Stat()
	there, err := os.Stat(path)
	return openErr == nil && err == nil && os.SameFile(opened, there)
}

// States lists the fleets of this user that run. What a killed supervisor left is passed over and taken away.
func States() ([]State, error) {
	folder, err := stateFolder()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot look for what runs: %w", err)
	}
	var list []State
	for _, e := range entries {
		if s, ok := readState(filepath.Join(folder, e.Name())); ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b State) int { return cmp.Compare(a.Head, b.Head) })
	return list, nil
}

// readState reads a file whose supervisor lives.
func readState(path string) (s State, ok bool) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return s, false
	}
	defer f.Close()
	for range 5 { // somebody else who looks may hold it for a moment, to take it away
		if filelock.TryShared(f) == nil { // no supervisor holds it
			if filelock.Try(f) == nil && named(f, path) {
				os.Remove(path) //nolint:errcheck // it is looked at again the next time
			}
			return s, false
		}
		if !named(f, path) {
			return s, false
		}
		time.Sleep(2 * time.Millisecond)
	}
	if err := json.UnmarshalRead(f, &s); err != nil || s.PID <= 0 {
		return s, false // it is just being written
	}
	return s, true
}

// Interrupt asks the supervisor to stop, as Ctrl-C does.
func (s State) Interrupt() error {
	p, err := os.FindProcess(s.PID)
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		return fmt.Errorf("cannot stop the fleet at %s (process %d): %w", s.Head, s.PID, err)
	}
	return nil
}

// Gone waits until the supervisor has ended, and reports whether it has within d.
func (s State) Gone(d time.Duration) bool {
	folder, err := stateFolder()
	if err != nil {
		return false
	}
	for deadline := time.Now().Add(d); ; time.Sleep(20 * time.Millisecond) {
		if _, there := readState(statePath(folder, s.Head)); !there {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}
