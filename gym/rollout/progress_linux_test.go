package rollout

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/need"
)

// screen is the other end of a pseudo terminal: what was written to it.
type screen struct {
	*os.File // the terminal
	parts    chan string
	text     string
}

// until reads until the text is there.
func (s *screen) until(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(s.text, text) {
		s.text += receive(t, s.parts, text)
	}
}

// all closes the terminal and returns everything.
func (s *screen) all(t *testing.T) string {
	t.Helper()
	s.Close()
	for {
		part := receive(t, s.parts, "the end of the terminal's output")
		if part == "" {
			return s.text
		}
		s.text += part
	}
}

func terminal(t *testing.T) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	need.NoError(t, err)
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
	}
	need.NoError(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	need.NoError(t, err)
	parts := make(chan string, 10_000) // more than a test writes
	go func() {
		defer close(parts)
		defer master.Close()
		for b := make([]byte, 4096); ; {
			n, err := master.Read(b) // fails when the last writer has closed
			if err != nil {
				return
			}
			parts <- string(b[:n])
		}
	}()
	return &screen{File: tty, parts: parts}
}

func TestRun_progress_on_a_terminal(t *testing.T) {
	tty := terminal(t)
	f := newFixture(t, inputRows(3))
	f.o.Progress = tty.File
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) == 1 {
			http.Error(w, "boom", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	f.run(a)
	text := tty.all(t)
	for _, want := range []string{"Collecting rollouts", "3/3", "100%", "reward 1", "agent_run_error", "Collected 2 of 3 rollouts"} {
		if !strings.Contains(text, want) {
			t.Errorf("the terminal shows no %q:\n%q", want, text)
		}
	}
}

// What is printed while a bar stands at the bottom is written above it, where the next drawing of the bar does not wipe
// it away.
func TestPlan_Print_on_a_terminal(t *testing.T) {
	tty := terminal(t)
	f := newFixture(t, inputRows(3))
	f.o.Progress, f.o.Concurrency = tty.File, 1
	p := f.prepare()
	p.Print("before the run")
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) == 1 {
			tty.until(t, "Collecting rollouts")
			p.Print("in the run")
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	if _, err := p.Run(t.Context(), a.client(t)); err != nil {
		t.Fatal(err)
	}
	p.Print("after the run")
	text := strings.ReplaceAll(tty.all(t), "\r\n", "\n")
	for _, want := range []string{"before the run\n", "in the run\n", "after the run\n"} {
		_, rest, found := strings.Cut(text, want)
		if !found || strings.HasPrefix(rest, "\x1b") {
			t.Errorf("%q is missing, or what follows takes it away:\n%q", want, text)
		}
	}
}
