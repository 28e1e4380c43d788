package viewer

import (
	"errors"
	"os"
	"path/filepath"
)

// DefaultData is the data folder of a viewer that was not told: $XDG_DATA_HOME/lens, else ~/.local/share/lens.
func DefaultData() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "lens"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("cannot find a data folder: neither XDG_DATA_HOME nor HOME is set; give one with --data")
	}
	return filepath.Join(home, ".local", "share", "lens"), nil
}

// dataFlag is what a terminal's --data must be to find the folder, "" when it finds it without.
func dataFlag(data string) string {
	path, err := filepath.Abs(data)
	if err != nil {
		return data
	}
	if usual, err := DefaultData(); err == nil && usual == path {
		return ""
	}
	return path
}
