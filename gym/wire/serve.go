package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/lensgo/lens"
)

const (
	// serverIdle is longer than clientIdle, so that the client is always the one to let an idle connection go.
	serverIdle = 30 * time.Second
	// readHeader is not shorter than serverIdle: it is also the time that a connection which was dialled in reserve, and
	// has carried nothing yet, is kept; a client may use such a one as late as any idle connection.
	readHeader = serverIdle
	// lastWait is how long handlers get to return once their contexts were cancelled.
	lastWait = time.Second
)

// Serve accepts connections from ln until ctx ends; it owns ln. Then it stops: nothing new is accepted, idle connections
// are closed, running requests have the grace to finish, then their contexts are cancelled. It returns nil after a stop,
// and an error when ln fails or when handlers ran on although they were cancelled. When it returns nil no goroutine of it
// is left. Handlers see the values of ctx, but not its cancellation, and no span of it.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	base, cancel := context.WithCancelCause(lens.Detach(context.WithoutCancel(ctx)))
	defer cancel(nil)
	fresh := &freshConns{open: map[net.Conn]struct{}{}}
	srv := &http.Server{
		Handler:           s,
		IdleTimeout:       serverIdle,
		ReadHeaderTimeout: readHeader,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         fresh.track,
		ErrorLog:          slog.NewLogLogger(s.logger().Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()

	select {
	case <-ctx.Done():
		err := s.stop(srv, fresh, cancel)
		<-failed
		return err
	case err := <-failed:
		return errors.Join(
			fmt.Errorf("cannot serve %s on %s: %w", s.name, ln.Addr(), err),
			s.stop(srv, fresh, cancel))
	}
}

// stop ends srv within the grace and lastWait.
func (s *Server) stop(srv *http.Server, fresh *freshConns, cancel context.CancelCauseFunc) error {
	fresh.close()
	grace, done := context.WithTimeout(context.Background(), max(s.grace, 0))
	defer done()
	if srv.Shutdown(grace) == nil {
		return nil
	}
	cancel(errStopping)
	last, done := context.WithTimeout(context.Background(), lastWait)
	defer done()
	if srv.Shutdown(last) == nil {
		return nil
	}
	srv.Close()
	return fmt.Errorf("cannot stop %s cleanly: requests ran on for %v after they were cancelled", s.name, lastWait)
}

// freshConns are the connections that have carried nothing yet. http.Server.Shutdown waits five seconds for such a one
// to say something; clients keep some in reserve, so without this every stop would use up its grace.
type freshConns struct {
	mu      sync.Mutex
	open    map[net.Conn]struct{}
	closing bool
}

// track is the server's ConnState hook.
func (f *freshConns) track(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(f.open, c)
	case f.closing:
		c.Close()
	default:
		f.open[c] = struct{}{}
	}
}

// close closes them, and those that come from now on.
func (f *freshConns) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closing = true
	for c := range f.open {
		c.Close()
	}
}
