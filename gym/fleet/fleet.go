package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// Defaults of [Options].
const (
	DefaultStartTimeout = 60 * time.Second
	DefaultGrace        = 5 * time.Second
)

// ErrPlatform says that this operating system cannot run a fleet.
var ErrPlatform = errors.New("cannot start server processes on Windows: handing down listeners needs a Unix system; run gym under WSL or in a container")

// Options say what to start and how.
type Options struct {
	// Graph holds the instances. Start fills in the host and the port of each.
	Graph *config.Graph
	// Command starts a child; Start appends "--instance NAME" and the descriptors. Empty: this executable, verb "serve".
	Command []string
	// StartTimeout bounds the time from spawn until a server has answered; 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// Grace is how long a server may take to end after SIGTERM before it is killed; 0 means DefaultGrace.
	Grace time.Duration
	// LogDir, when set, receives the log of each server as <instance>.log.
	LogDir string
	// Stdout receives what the servers print on standard output, line by line (the console exporter writes there).
	// Stderr receives their logs, each line prefixed by the instance name. Nil discards; the last lines are kept anyway.
	Stdout, Stderr io.Writer
}

// Fleet is the set of running servers. Its methods are safe for concurrent use.
type Fleet struct {
	children []*child
	grace    time.Duration

	mu       sync.Mutex
	stopping bool
	err      error
	died     chan struct{} // closed with err set, when a server ended by itself
	stopOnce sync.Once
	stopErr  error
}

// Start spawns one process for each instance and returns when all of them have answered. When one fails, or ctx ends,
// those that were started are stopped again and the error names the server and shows its last lines.
func Start(ctx context.Context, o Options) (*Fleet, error) {
	if err := platform(); err != nil {
		return nil, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	listeners, err := listen(o.Graph)
	if err != nil {
		return nil, err
	}
	defer closeAll(listeners)
	encoded, err := o.Graph.Encode()
	if err != nil {
		return nil, fmt.Errorf("cannot encode the configuration for the servers: %w", err)
	}

	ctx, span := telemetry.Startup.Start(ctx, semconv.SpanGymStartup)
	defer span.End()
	f := &Fleet{grace: o.Grace, died: make(chan struct{})}
	if err := f.spawnAll(ctx, o, listeners, encoded); err != nil {
		span.Err(wire.SpanError(err)) // it quotes logs, which are too long for a span
		return nil, errors.Join(err, f.Stop(context.WithoutCancel(ctx)))
	}
	return f, nil
}

func (o Options) withDefaults() (Options, error) {
	if len(o.Command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("cannot find this program to start servers with: %w", err)
		}
		o.Command = []string{exe, "serve"}
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.LogDir != "" {
		if err := os.MkdirAll(o.LogDir, 0o755); err != nil {
			return o, fmt.Errorf("cannot make the folder of the server logs: %w", err)
		}
	}
	return o, nil
}

// listen binds a port for each instance and writes it into the graph.
func listen(g *config.Graph) ([]*net.TCPListener, error) {
	listeners := make([]*net.TCPListener, 0, len(g.Instances))
	for _, in := range g.Instances {
		if in.Host == "" {
			in.Host = "127.0.0.1"
		}
		l, err := net.Listen("tcp", net.JoinHostPort(in.Host, strconv.Itoa(in.Port)))
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("cannot bind a port for server %q on host %q: %w", in.Name, in.Host, err)
		}
		in.Port = l.Addr().(*net.TCPAddr).Port
		listeners = append(listeners, l.(*net.TCPListener))
	}
	return listeners, nil
}

func closeAll(listeners []*net.TCPListener) {
	for _, l := range listeners {
		l.Close()
	}
}

// errOther ends the wait for servers when one of them has failed.
var errOther = errors.New("another server failed to start")

// spawnAll starts every child at once and waits until all of them have answered, or one has failed.
func (f *Fleet) spawnAll(ctx context.Context, o Options, listeners []*net.TCPListener, encoded []byte) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, len(listeners))
	var wg sync.WaitGroup
	for i, in := range o.Graph.Instances {
		c := newChild(in, o)
		f.children = append(f.children, c)
		wg.Go(func() {
			if errs[i] = f.spawn(ctx, c, o, listeners[i], encoded); errs[i] != nil {
				cancel(errOther)
			}
		})
	}
	wg.Wait()
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, errOther) })...)
}

// spawn starts one child and waits for its first answer, inside its span.
func (f *Fleet) spawn(ctx context.Context, c *child, o Options, l *net.TCPListener, encoded []byte) error {
	ctx, span := telemetry.Startup.Start(ctx, semconv.SpanGymStartupServer)
	defer span.End()
	span.Str(semconv.GymServerName, c.in.Name).Str(semconv.GymServerType, c.in.Type)
	if err := c.start(o, l, encoded); err != nil {
		span.Err(err)
		return fmt.Errorf("cannot start server %q: %w", c.in.Name, err)
	}
	span.Int(semconv.ProcessPID, c.pid())
	go f.watch(c)
	ctx, cancel := context.WithTimeoutCause(ctx, o.StartTimeout, fmt.Errorf("no answer within %v", o.StartTimeout))
	defer cancel()
	if err := c.ready(ctx); err != nil {
		span.Err(err)
		return fmt.Errorf("cannot start server %q: %w%s", c.in.Name, err, c.lastLines())
	}
	l.Close() // our copy: from here on only the child accepts, and a dead child refuses
	return nil
}

// watch reports a child that ended while nobody asked it to.
func (f *Fleet) watch(c *child) {
	<-c.exited
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopping || f.err != nil {
		return
	}
	f.err = fmt.Errorf("server %q (process %d) died: %s%s", c.in.Name, c.pid(), c.state(), c.lastLines())
	close(f.died)
}

// Done is closed when a server has ended by itself; [Fleet.Err] then says which, and what it last said.
func (f *Fleet) Done() <-chan struct{} { return f.died }

// Err is nil until Done is closed.
func (f *Fleet) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Servers maps each instance to its base URL.
func (f *Fleet) Servers() map[string]string {
	urls := make(map[string]string, len(f.children))
	for _, c := range f.children {
		urls[c.in.Name] = c.in.URL()
	}
	return urls
}

// Stop sends SIGTERM to every server, gives them the grace in which they flush, kills what is left and waits until all
// of them are gone. A ctx that ends shortens the grace. The error names those that had to be killed, whose last spans are
// lost. Stop may be called more than once, and gives the same error then.
func (f *Fleet) Stop(ctx context.Context) error {
	f.mu.Lock()
	f.stopping = true
	f.mu.Unlock()
	f.stopOnce.Do(func() { f.stopErr = f.stop(ctx) })
	return f.stopErr
}

func (f *Fleet) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, f.grace, fmt.Errorf("it did not end within %v", f.grace))
	defer cancel()
	errs := make([]error, len(f.children))
	var wg sync.WaitGroup
	for i, c := range f.children {
		wg.Go(func() { errs[i] = c.stop(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
