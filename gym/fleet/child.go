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

// child is one server process, seen from the supervisor.
type child struct {
	in       *config.Instance
	cmd      *exec.Cmd
	out      *lineWriter
	log      *lineWriter
	lifeline *os.File
	exited   chan struct{} // closed when the process is gone and its output read
	waitErr  error         // set before exited is closed
}

func newChild(in *config.Instance, o Options) *child {
	return &child{
		in:     in,
		out:    newLineWriter(o.Stdout, ""),
		log:    newLineWriter(o.Stderr, "["+in.Name+"] "),
		exited: make(chan struct{}),
	}
}

// start spawns the process with its descriptors.
func (c *child) start(o Options, l *net.TCPListener, encoded []byte) error {
	cmd := exec.Command(o.Command[0], append(o.Command[1:len(o.Command):len(o.Command)],
		"--instance", c.in.Name,
		"--config-fd", strconv.Itoa(configFD), "--listener-fd", strconv.Itoa(listenerFD), "--lifeline-fd", strconv.Itoa(lifelineFD))...)
	cmd.Stdout, cmd.Stderr = c.out, c.log
	cmd.WaitDelay = 2 * time.Second // what a server leaves running must not hold the supervisor by its output
	ownGroup(cmd)
	closeLog, err := c.openLog(o.LogDir)
	if err != nil {
		return err
	}
	inherited, parents, err := pipes(l)
	if err != nil {
		closeLog()
		return err
	}
	cmd.ExtraFiles = inherited
	err = cmd.Start()
	for _, f := range inherited {
		f.Close()
	}
	if err != nil {
		closeLog()
		parents.config.Close()
		parents.lifeline.Close()
		return err
	}
	c.cmd, c.lifeline = cmd, parents.lifeline
	go c.sendConfig(parents.config, encoded)
	go c.wait(closeLog)
	return nil
}

// openLog tees the child's log into a file of its own.
func (c *child) openLog(dir string) (closeLog func(), err error) {
	if dir == "" {
		return func() {}, nil
	}
	f, err := os.Create(filepath.Join(dir, c.in.Name+".log"))
	if err != nil {
		return nil, err
	}
	c.log.tee = f
	return func() { f.Close() }, nil
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
func (c *child) sendConfig(w *os.File, encoded []byte) {
	defer w.Close()
	w.Write(encoded) //nolint:errcheck // a dead child is reported by its exit
}

// wait reaps the process, and only then lets go of its lifeline.
func (c *child) wait(closeLog func()) {
	c.waitErr = c.cmd.Wait()
	c.out.flush()
	c.log.flush()
	closeLog()
	c.lifeline.Close()
	close(c.exited)
}

// ready returns when the child has answered a health probe. The listener exists before the child does, so a single
// request waits in its queue until the child accepts; it is repeated only when the answer is an error.
func (c *child) ready(ctx context.Context) error {
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel(nil)
	watch.Go(func() {
		select {
		case <-c.exited:
			cancel(fmt.Errorf("it ended before it answered: %s", c.state()))
		case <-ctx.Done():
		}
	})
	for {
		err := probe(ctx, &http.Client{Transport: transport}, c.in.URL()+"/")
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
func (c *child) stop(ctx context.Context) error {
	if c.cmd == nil {
		return nil // never started
	}
	terminate(c.cmd.Process) //nolint:errcheck // it may be gone already
	select {
	case <-c.exited:
		return nil
	case <-ctx.Done():
	}
	c.cmd.Process.Kill() //nolint:errcheck // it may be gone already
	<-c.exited
	return fmt.Errorf("server %q (process %d) was killed: %w", c.in.Name, c.pid(), context.Cause(ctx))
}

func (c *child) pid() int {
	if c.cmd == nil || c.cmd.Process == nil {
		return 0
	}
	return c.cmd.Process.Pid
}

// state says how an exited process ended.
func (c *child) state() string {
	if exit, ok := errors.AsType[*exec.ExitError](c.waitErr); ok {
		return exit.ProcessState.String()
	}
	if c.waitErr != nil {
		return c.waitErr.Error()
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
