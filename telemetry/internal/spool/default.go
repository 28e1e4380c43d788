package spool

import (
	"errors"
	"os"
	"path/filepath"
)

// DefaultBytes bounds the spool of one destination.
const DefaultBytes = 256 << 20

// DefaultRoot is where spools are when nobody says: nemo-lens/spool under XDG_STATE_HOME, else under ~/.local/state.
func DefaultRoot() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "nemo-lens", "spool"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home folder for a spool; name one")
	}
	return filepath.Join(home, ".local", "state", "nemo-lens", "spool"), nil
}
