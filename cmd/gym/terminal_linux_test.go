package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/internal/need"
)

// In a terminal the demo serves a page until Ctrl-C without being asked to, and with --no-view it does not.
func TestDemoTerminal(t *testing.T) {
	needsSpans(t)
	for flag, serves := range map[string]bool{"--json=false": true, "--no-view": false} {
		t.Run(flag, func(t *testing.T) {
			master, tty := terminal(t)
			cmd := gymCommand(context.Background(), nil, "demo", flag, "--output-dir", filepath.Join(t.TempDir(), "demo"))
			cmd.Stdout = tty
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill() //nolint:errcheck // it has ended when all went well
			tty.Close()
			text, served := "", false
			for b := make([]byte, 4096); ; {
				n, err := master.Read(b) // fails when the last writer has closed
				text += string(b[:n])
				if !served && strings.Contains(text, "(until Ctrl-C)") {
					served = true
					if err := cmd.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
				}
				if err != nil {
					break
				}
			}
			if err := cmd.Wait(); err != nil || served != serves || !strings.Contains(text, "see it") {
				t.Errorf("it ended with %v and served %v, want %v:\n%s", err, served, serves, text)
			}
		})
	}
}

// terminal makes a pseudo terminal.
func terminal(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	need.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	need.NoError(t, err)
	return master, tty
}
