package viewer

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tokenFile holds the token of a data folder, so that a link that was opened once works tomorrow.
const tokenFile = "token"

// minToken is the length of the shortest token that is taken from the file: 128 bits in hexadecimal.
const minToken = 32

// readToken returns the token of a data folder, "" when it has none.
func readToken(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, tokenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the token: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// makeToken returns the token of a data folder and makes one when it has none, or one that is too short to be ours.
func makeToken(dir string) (string, error) {
	token, err := readToken(dir)
	if err != nil || len(token) >= minToken {
		return token, err
	}
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails
	token = hex.EncodeToString(b[:])
	if err := os.WriteFile(filepath.Join(dir, tokenFile), []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("cannot write the token: %w", err)
	}
	return token, nil
}
