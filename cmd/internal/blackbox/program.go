package blackbox

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a program may take to say something or to end: much more than it needs, on a machine that has other
// work too.
const patience = time.Minute

// Program is a running command. Says and Ends are for the goroutine of the test, and end the test when they wait in vain.
type Program struct {
	cmd    *exec.Cmd
	said   chan string // lines of both outputs; closed at the end
	exited chan struct{}

	mu  sync.Mutex
	all bytes.Buffer
}

// Start starts a command and reads what it prints, on both outputs. It is killed when the test ends, if it still runs.
func Start(t testing.TB, cmd *exec.Cmd) *Program {
	t.Helper()
	p := &Program{cmd: cmd, said: make(chan string, 1024), exited: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		t.Fatal(err)
	}
	go p.listen(r)
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it has ended when all went well
		<-p.exited
	})
	return p
}

// listen reads what the program says, to its end.
func (p *Program) listen(r *os.File) {
	defer close(p.exited)
	defer r.Close()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		p.mu.Lock()
		p.all.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		select {
		case p.said <- lines.Text():
		default: // nobody waits for it
		}
	}
	close(p.said)
	p.cmd.Wait() //nolint:errcheck // its state says it
}

// PID is the program's process.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Output is what it has printed so far.
func (p *Program) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all.String()
}

// Says waits for a line that has a text, after those that it waited for before, and returns what follows the text there, up
// to a blank.
func (p *Program) Says(t testing.TB, text string) string {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-p.said:
			if !ok {
				t.Fatalf("the program ended without saying %q\n%s", text, p.Output())
			}
			if _, rest, found := strings.Cut(line, text); found {
				word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
				return word
			}
		case <-timeout:
			t.Fatalf("the program did not say %q within %v\n%s", text, patience, p.Output())
		}
	}
}

// Signal sends it a signal.
func (p *Program) Signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatalf("cannot signal the program: %v\n%s", err, p.Output())
	}
}

// Ended tells whether it has.
func (p *Program) Ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Ends waits for its end and returns its exit code.
func (p *Program) Ends(t testing.TB) int {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatalf("the program did not end within %v\n%s", patience, p.Output())
	}
	return p.cmd.ProcessState.ExitCode()
}
