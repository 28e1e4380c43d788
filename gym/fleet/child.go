package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/config"
)

// Descriptors of what a child inherits; the child is told by flags, so that they are no secret agreement.
const (
	configFD   = 3
	listenerFD = 4
	lifelineFD = 5
)

// child is one server of the fleet, whose process may be another one after a restart.
type child struct {
	in     *config.Instance
	launch launcher
	out    *lineWriter
	log    *lineWriter
	file   *os.File      // what log is written to as well; nil: none
	gone   chan struct{} // closed when nobody watches over it any more
	watch  sync.Once

	restarts int // of the goroutine that watches

	mu       sync.Mutex
	p        *process // nil: never started
	started  time.Time
	answered bool // the process that runs has answered
}

// launcher knows how to start the process of a server.
type launcher interface {
	// start spawns it; log and out take what it says.
	start(c *child, env []string) (*process, error)
	// release lets go of what was held for restarts.
	release()
}

// process is one process of a child.
type process struct {
	cmd      *exec.Cmd
	guard    bool // it guards another process
	lifeline *os.File
	exited   chan struct{} // closed when the process is gone and its output read
	waitErr  error         // set before exited is closed
}

func newChild(in *config.Instance, o Options, l launcher) (*child, error) {
	c := &child{
		in: in, launch: l,
		out:  newLineWriter(o.Stdout, ""),
		log:  newLineWriter(o.Stderr, "["+in.Name+"] "),
		gone: make(chan struct{}),
	}
	if o.LogDir == "" {
		return c, nil
	}
	f, err := os.Create(filepath.Join(o.LogDir, in.Name+".log"))
	if err != nil {
		return nil, fmt.Errorf("cannot make the log file of server %q: %w", in.Name, err)
	}
	c.file, c.log.tee = f, f
	return c, nil
}

// spawn starts the process, unless stopped says that there shall be none.
func (c *child) spawn(env []string, stopped func() bool) (*process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stopped() {
		return nil, errStopping
	}
	p, err := c.launch.start(c, env)
	if err != nil {
		return nil, err
	}
	c.p, c.started, c.answered = p, time.Now(), false
	go c.wait(p)
	return p, nil
}

var errStopping = errors.New("the fleet is stopping")

// end closes what belongs to the child's whole life.
func (c *child) end() {
	c.launch.release()
	if c.file != nil {
		c.file.Close()
	}
	close(c.gone)
}

// current is the process that runs, or was the last to run.
func (c *child) current() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.p
}

func (c *child) ready() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = true
}

// wait reaps a process, and only then lets go of its lifeline.
func (c *child) wait(p *process) {
	p.waitErr = p.cmd.Wait()
	c.out.flush()
	c.log.flush()
	p.lifeline.Close()
	close(p.exited)
}

// ownServer starts a process of this program, which takes over the listener.
type ownServer struct {
	command  []string
	listener *net.TCPListener
	encoded  []byte
}

func (s *ownServer) release() { s.listener.Close() }

func (s *ownServer) start(c *child, env []string) (*process, error) {
	cmd := exec.Command(s.command[0], append(s.command[1:len(s.command):len(s.command)],
		"--instance", c.in.Name,
		"--config-fd", strconv.Itoa(configFD), "--listener-fd", strconv.Itoa(listenerFD), "--lifeline-fd", strconv.Itoa(lifelineFD))...)
	cmd.Stdout, cmd.Stderr, cmd.Env = c.out, c.log, append(os.Environ(), env...)
	cmd.WaitDelay = 2 * time.Second // what a server leaves running must not hold the supervisor by its output
	ownGroup(cmd)
	inherited, parents, err := pipes(s.listener)
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = inherited
	err = cmd.Start()
	for _, f := range inherited {
		f.Close()
	}
	if err != nil {
		parents.config.Close()
		parents.lifeline.Close()
		return nil, err
	}
	go sendConfig(parents.config, s.encoded)
	return &process{cmd: cmd, lifeline: parents.lifeline, exited: make(chan struct{})}, nil
}

// parentEnds are the write ends that stay with the supervisor.
type parentEnds struct{ config, lifeline *os.File }

// pipes makes the files a child inherits, in the order of the descriptors.
func pipes(l *net.TCPListener) (inherited []*os.File, ends parentEnds, err error) {
	fail := func(err error) ([]*os.File, parentEnds, error) {
		for _, f := range inherited {
			f.Close()
		}
		if ends.config != nil {
			ends.config.Close()
		}
		return nil, parentEnds{}, err
	}
	configR, configW, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	inherited, ends.config = append(inherited, configR), configW
	socket, err := l.File()
	if err != nil {
		return fail(err)
	}
	inherited = append(inherited, socket)
	lifelineR, lifelineW, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	ends.lifeline = lifelineW
	return append(inherited, lifelineR), ends, nil
}

// sendConfig writes the configuration; a child that dies early only makes the write fail.
func sendConfig(w *os.File, encoded []byte) {
	defer w.Close()
	w.Write(encoded) //nolint:errcheck // a dead child is reported by its exit
}

// answers returns when the process has answered a health probe. The listener of our own servers exists before they do, so a
// single request waits in its queue until the server accepts; it is repeated when the answer is an error.
func (p *process) answers(ctx context.Context, url string) error {
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel(nil)
	watch.Go(func() {
		select {
		case <-p.exited:
			cancel(fmt.Errorf("it ended before it answered: %s", p.state()))
		case <-ctx.Done():
		}
	})
	for {
		err := probe(ctx, &http.Client{Transport: transport}, url+"/")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// probe asks once. Any answer counts, as in the Python system; a probe opens no span.
func probe(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) //nolint:errcheck // only the answer matters
	return resp.Body.Close()
}

// stop asks the process to end and kills it when ctx ends first, which is an error. It returns when the process is gone.
func (c *child) stop(ctx context.Context, grace time.Duration) error {
	p := c.current()
	if p == nil {
		return nil // never started
	}
	if grace == 0 {
		grace = DefaultGrace
		if p.guard {
			grace = DefaultExternalGrace
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, grace, fmt.Errorf("it did not end within %v", grace))
	defer cancel()
	terminate(p.cmd.Process) //nolint:errcheck // it may be gone already
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	p.kill()
	return fmt.Errorf("server %q (process %d) was killed: %w", c.in.Name, p.pid(), context.Cause(ctx))
}

// kill ends the process by force and waits for its end. A guard must do that to what it guards, so it gets a moment.
func (p *process) kill() {
	p.lifeline.Close()
	if p.guard {
		select {
		case <-p.exited:
			return
		case <-time.After(guardTime):
		}
	}
	p.cmd.Process.Kill() //nolint:errcheck // it may be gone already
	<-p.exited
}

// guardTime is how long a guard may take to kill what it guards.
const guardTime = 5 * time.Second

func (c *child) pid() int {
	if p := c.current(); p != nil {
		return p.pid()
	}
	return 0
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// state says how an exited process ended.
func (p *process) state() string {
	if exit, ok := errors.AsType[*exec.ExitError](p.waitErr); ok {
		return exit.ProcessState.String()
	}
	if p.waitErr != nil {
		return p.waitErr.Error()
	}
	return "exit status 0"
}

// lastLines quotes the end of the child's log for an error message.
func (c *child) lastLines() string {
	lines := c.log.last()
	if len(lines) == 0 {
		return "; it logged nothing"
	}
	return "; its last lines:\n    " + strings.Join(lines, "\n    ")
}
