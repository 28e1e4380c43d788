package wire

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// pipes is a network in memory, for tests whose time is not the clock's.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
	dropped atomic.Int32 // connections that the server closed before the client did
}

// end is a side of a connection. The first of the two that is closed says so.
type end struct {
	net.Conn
	open  *atomic.Bool
	first func()
}

func (e *end) Close() error {
	if e.open.CompareAndSwap(true, false) {
		e.first()
	}
	return e.Conn.Close()
}

func newPipes() *pipes { return &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	open := &atomic.Bool{}
	open.Store(true)
	select {
	case p.dialled <- &end{there, open, func() { p.dropped.Add(1) }}:
		return &end{here, open, func() {}}, nil
	case <-p.closed:
		return nil, &dialError{net.ErrClosed}
	case <-ctx.Done():
		return nil, &dialError{ctx.Err()}
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr  { return p }
func (p *pipes) Network() string { return "pipe" }
func (p *pipes) String() string  { return "pipe" }
