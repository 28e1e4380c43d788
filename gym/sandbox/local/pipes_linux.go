package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/lensgo/lens/gym/sandbox"
)

// pipes are the standard streams of an order.
type pipes struct {
	stdin                *os.File // ours: written
	stdout, stderr       *os.File // ours: read
	theirIn, theirs, err *os.File // theirs
}

func newPipes() (*pipes, error) {
	p := new(pipes)
	var errs [3]error
	p.theirIn, p.stdin, errs[0] = pipe(1)
	p.stdout, p.theirs, errs[1] = pipe(0)
	p.stderr, p.err, errs[2] = pipe(0)
	if err := errors.Join(errs[:]...); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// pipe returns a pipe whose end ours can be waited for and interrupted. The other one blocks, as a command expects of it.
func pipe(ours int) (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	err = unix.SetNonblock(fds[ours], true)
	return os.NewFile(uintptr(fds[0]), "read"), os.NewFile(uintptr(fds[1]), "write"), err
}

func (p *pipes) theirFDs() []int {
	return []int{int(p.theirIn.Fd()), int(p.theirs.Fd()), int(p.err.Fd())}
}

func (p *pipes) closeTheirs() {
	for _, f := range []*os.File{p.theirIn, p.theirs, p.err} {
		_ = f.Close()
	}
}

func (p *pipes) close() {
	p.closeTheirs()
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		_ = f.Close()
	}
}

// copy feeds and reads the streams. The function that it returns is for when the order is at its end: it takes what is
// left in the pipes and gives back all.
func (p *pipes) copy(s stream) func() outcome {
	var reading, writing sync.WaitGroup
	writing.Go(func() {
		_, _ = p.stdin.Write(s.stdin) // a command need not read it
		_ = p.stdin.Close()
	})
	out, errs := &sandbox.Capture{Keep: s.keep}, &sandbox.Capture{Keep: s.keep}
	reading.Go(func() { _, _ = io.Copy(out, p.stdout) })
	reading.Go(func() { _, _ = io.Copy(errs, p.stderr) })
	return func() outcome {
		// Writers are gone, so that both end by themselves; unless a command handed its stream on to another one.
		deadline := time.Now().Add(ending)
		_ = p.stdout.SetReadDeadline(deadline)
		_ = p.stderr.SetReadDeadline(deadline)
		_ = p.stdin.SetWriteDeadline(time.Now())
		reading.Wait()
		writing.Wait()
		return outcome{stdout: out.String(), stderr: errs.String(), cut: out.Cut() || errs.Cut()}
	}
}
