package rollout

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/gym/responses"
)

// terminal is a pseudo terminal: what is written to it can be read from its other end.
func terminal(t *testing.T) (tty *os.File, written func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
	}
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	done := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(master) // ends with an error when the last writer closes
		master.Close()
		done <- string(b)
	}()
	return tty, func() string {
		tty.Close()
		return receive(t, done, "the end of the terminal's output")
	}
}

func TestRun_progress_on_a_terminal(t *testing.T) {
	tty, written := terminal(t)
	f := newFixture(t, inputRows(3))
	f.o.Progress = tty
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) == 1 {
			http.Error(w, "boom", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	f.run(a)
	text := written()
	for _, want := range []string{"Collecting rollouts", "3/3", "100%", "reward 1", "agent_run_error", "Collected 2 of 3 rollouts"} {
		if !strings.Contains(text, want) {
			t.Errorf("the terminal shows no %q:\n%q", want, text)
		}
	}
}
