//go:build !lens_off

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/internal/need"
)

// Ctrl-C on a terminal reaches all that runs there by itself: the command gets it once.
func TestExec_terminal(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	master, tty := terminal(t)
	p := startSelf(t, c, &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}, tty, lensBinary)
	tty.Close()
	p.Says(t, "ready ")
	want := ""
	for range 30 { // two signals that are on their way at once may become one, but not each time
		if _, err := master.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		p.Says(t, "got SIGINT")
		want += "SIGINT+"
	}
	p.Signal(t, unix.SIGTERM)
	if all := p.Says(t, "all "); all != want+"SIGTERM" {
		t.Errorf("the command got %s", all)
	}
	if code := p.Ends(t); code != 5 {
		t.Errorf("it ended with %d\n%s", code, p.Output())
	}
	c.take(t, 1)
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
	// A signal that is typed flushes what was typed, and may take with it what comes right after.
	settings, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	need.NoError(t, err)
	settings.Lflag |= unix.NOFLSH
	need.NoError(t, unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, settings))
	return master, tty
}
