package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// Defaults of [Options].
const (
	DefaultStartTimeout = 60 * time.Second
	DefaultGrace        = 5 * time.Second
	// DefaultExternalGrace is Grace for external servers: a Python interpreter takes seconds to end.
	DefaultExternalGrace = 20 * time.Second
)

// ErrPlatform says that this operating system cannot run a fleet.
var ErrPlatform = errors.New("cannot start server processes on Windows: handing down listeners needs a Unix system; run gym under WSL or in a container")

// Options say what to start and how.
type Options struct {
	// Graph holds the instances. Start fills in the host and the port of each.
	Graph *config.Graph
	// Command starts a child; Start appends "--instance NAME" and the descriptors. Empty: this executable, verb "serve".
	Command []string
	// Guard starts an external server, see [Guard]; Start appends flags and the server's command. Empty: this executable,
	// verb "guard".
	Guard []string
	// Implementations are those that Command can serve. Instances of others are external servers; see [External]. Nil: all.
	Implementations []string
	// SearchDirs are folders in which Python servers are looked for, see [config.Source].
	SearchDirs []string
	// Fused serves what Builders can in this process, without sockets, instead of in processes of their own.
	Fused    bool
	Builders map[string]Builder
	Logger   *slog.Logger // of fused servers; nil discards
	// StartTimeout bounds the time from spawn until a server has answered; 0 means DefaultStartTimeout, for external servers
	// DefaultExternalTimeout.
	StartTimeout time.Duration
	// MaxRestarts is how often each server that ended by itself is started again. 0: its end is the fleet's.
	MaxRestarts int
	// Grace is how long a server may take to end after it was asked to, before it is killed; 0 means DefaultGrace, for external
	// servers DefaultExternalGrace.
	Grace time.Duration
	// LogDir, when set, receives the log of each server as <instance>.log.
	LogDir string
	// Stdout receives what the servers print on standard output, line by line (the console exporter writes there).
	// Stderr receives their logs, each line prefixed by the instance name. Nil discards; the last lines are kept anyway.
	Stdout, Stderr io.Writer
	// Notice is told what a user should know: a restart, a host that others reach. Nil: nobody is.
	Notice func(text string)
	// Stages are the parts of the start that came before, for its span.
	Stages []Stage
}

// Fleet is the set of running servers. Its methods are safe for concurrent use.
type Fleet struct {
	o        Options
	children []*child
	fused    *fused    // nil: none
	profiler *profiler // nil: none

	mu       sync.Mutex
	stopping bool
	err      error
	died     chan struct{} // closed with err set, when a server ended for good
	stopOnce sync.Once
	stopErr  error
}

// Start spawns one process for each instance and returns when all of them have answered. When one fails, or ctx ends,
// those that were started are stopped again and the error names the server and shows its last lines.
func Start(ctx context.Context, o Options) (*Fleet, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	o.warnHosts()
	f := &Fleet{o: o, died: make(chan struct{})}
	began := time.Now()
	if len(o.Stages) > 0 {
		began = o.Stages[0].From
	}
	ctx, span := telemetry.Startup.StartWith(ctx, semconv.SpanGymStartup, lens.StartConfig{Time: began})
	defer span.End()
	record(ctx, semconv.SpanGymStartup, o.Stages)
	if err := f.start(ctx); err != nil {
		span.Err(wire.SpanError(err)) // it quotes logs, which are too long for a span
		return nil, errors.Join(err, f.Stop(context.WithoutCancel(ctx)))
	}
	metrics.Gym.ServersActive(ctx, len(o.Graph.Instances))
	f.profiler = f.profile()
	return f, nil
}

func (o Options) withDefaults() (Options, error) {
	exe, err := os.Executable()
	if err != nil && (len(o.Command) == 0 || len(o.Guard) == 0) {
		return o, fmt.Errorf("cannot find this program to start servers with: %w", err)
	}
	if len(o.Command) == 0 {
		o.Command = []string{exe, "serve"}
	}
	if len(o.Guard) == 0 {
		o.Guard = []string{exe, "guard"}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.LogDir != "" {
		if err := os.MkdirAll(o.LogDir, 0o755); err != nil {
			return o, fmt.Errorf("cannot make the folder of the server logs: %w", err)
		}
	}
	return o, nil
}

// warnHosts says once which servers others can reach.
func (o *Options) warnHosts() {
	for _, in := range o.Graph.Instances {
		if !in.Loopback() {
			o.Notice(fmt.Sprintf("Server %q listens on %s: Gym's servers have no authentication, so whoever reaches that address can use them, "+
				"their model and their tools. 127.0.0.1 keeps them to this machine.", in.Name, in.Host))
			return
		}
	}
}

// start starts what is to be in this process, then all others at once, and waits for them.
func (f *Fleet) start(ctx context.Context) error {
	var apart []*config.Instance
	for _, in := range f.o.Graph.Instances {
		if f.o.Fused && f.o.Builders[in.Impl] != nil {
			continue
		}
		apart = append(apart, in)
	}
	if len(apart) > 0 {
		if err := platform(); err != nil {
			return err
		}
	}
	var stages Stages
	stages.Begin(StageSpawnServers)
	defer func() { record(ctx, semconv.SpanGymStartup, stages.List()) }()
	launchers, err := f.launchers(apart)
	if err != nil {
		return err
	}
	for i, in := range apart {
		c, err := newChild(in, f.o, launchers[i])
		if err != nil {
			for _, l := range launchers[i:] {
				l.release()
			}
			return err
		}
		f.children = append(f.children, c)
	}
	if err := f.spawnAll(ctx, &stages); err != nil {
		return err
	}
	return f.fuse(ctx)
}

// launchers binds a port for each instance, writes it into the graph, and says how each is started.
func (f *Fleet) launchers(apart []*config.Instance) (all []launcher, err error) {
	defer func() {
		if err != nil {
			for _, l := range all {
				l.release()
			}
			all = nil
		}
	}()
	for _, in := range apart {
		l, err := f.launcher(in)
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	encoded, err := f.o.Graph.Encode() // every port is known now
	if err != nil {
		return all, fmt.Errorf("cannot encode the configuration for the servers: %w", err)
	}
	for _, l := range all {
		if own, ok := l.(*ownServer); ok {
			own.encoded = encoded
		}
	}
	return all, nil
}

// whoHas says what to do about a port that is taken.
func (o *Options) whoHas(in *config.Instance, err error) string {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return ""
	}
	for _, other := range o.Graph.Instances {
		if other != in && other.Host == in.Host && other.Port == in.Port {
			return fmt.Sprintf("; server %q has the same port; without one each gets a free one", other.Name)
		}
	}
	return "; something else runs there; without a port it gets a free one"
}

func (f *Fleet) launcher(in *config.Instance) (launcher, error) {
	external, err := f.o.external(in)
	if err != nil {
		return nil, err
	}
	if external != nil {
		return external, nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(in.Host, strconv.Itoa(in.Port)))
	if err != nil {
		return nil, fmt.Errorf("cannot bind a port for server %q on host %q: %w%s", in.Name, in.Host, err, f.o.whoHas(in, err))
	}
	in.Port = l.Addr().(*net.TCPAddr).Port
	return &ownServer{command: f.o.Command, listener: l.(*net.TCPListener)}, nil
}

// errOther ends the wait for servers when one of them has failed.
var errOther = errors.New("another server failed to start")

// spawnAll starts every child at once and waits until all of them have answered, or one has failed.
func (f *Fleet) spawnAll(ctx context.Context, stages *Stages) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, len(f.children))
	var spawned, ready sync.WaitGroup
	for i, c := range f.children {
		spawned.Add(1)
		ready.Go(func() {
			if errs[i] = f.spawn(ctx, c, spawned.Done); errs[i] != nil {
				cancel(errOther)
			}
		})
	}
	spawned.Wait()
	stages.Begin(StageWaitForServers)
	ready.Wait()
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, errOther) })...)
}

// spawn starts one child and waits for its first answer, inside its span.
func (f *Fleet) spawn(ctx context.Context, c *child, spawned func()) error {
	began := time.Now()
	ctx, span := telemetry.Startup.Start(ctx, semconv.SpanGymStartupServer)
	defer span.End()
	span.Str(semconv.GymServerName, c.in.Name).Str(semconv.GymServerType, c.in.Type)
	p, err := c.spawn(stamps(ctx), f.isStopping)
	spawned()
	if err != nil {
		span.Err(err)
		return fmt.Errorf("cannot start server %q: %w", c.in.Name, err)
	}
	span.Int(semconv.ProcessPID, p.pid())
	if err := f.wait(ctx, c, p); err != nil {
		span.Err(err)
		return fmt.Errorf("cannot start server %q: %w%s", c.in.Name, err, c.lastLines())
	}
	metrics.Gym.ServerStarted(ctx, c.in.Name, c.in.Type, time.Since(began))
	if f.o.MaxRestarts == 0 {
		c.launch.release() // our copy: from here on only the child accepts, and a dead child refuses
	}
	c.watch.Do(func() { go f.watch(c) })
	return nil
}

// wait waits for the first answer of a process.
func (f *Fleet) wait(ctx context.Context, c *child, p *process) error {
	timeout := f.o.StartTimeout
	if timeout == 0 {
		timeout = DefaultStartTimeout
		if p.guard {
			timeout = DefaultExternalTimeout
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	if err := p.answers(ctx, c.in.URL()); err != nil {
		return err
	}
	c.ready()
	return nil
}

// watch starts a child again that ended while nobody asked it to, as often as it may, and then reports it.
func (f *Fleet) watch(c *child) {
	defer c.end()
	for {
		p := c.current()
		<-p.exited
		if f.isStopping() {
			return
		}
		how := fmt.Sprintf("server %q (process %d) died: %s%s", c.in.Name, p.pid(), p.state(), c.lastLines())
		if c.restarts >= f.o.MaxRestarts {
			f.fail(c, how)
			return
		}
		c.restarts++
		f.o.Notice(fmt.Sprintf("It is started again (%d of %d): %s", c.restarts, f.o.MaxRestarts, how))
		p, err := c.spawn(stamps(context.Background()), f.isStopping)
		if err != nil {
			f.fail(c, fmt.Sprintf("%s; it could not be started again: %v", how, err))
			return
		}
		if err := f.wait(context.Background(), c, p); err != nil {
			p.kill() // when it did not answer in time it is as good as dead
		}
	}
}

// fail is the end of the fleet by the end of one server.
func (f *Fleet) fail(c *child, how string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopping || f.err != nil {
		return
	}
	if c.restarts > 0 {
		how += fmt.Sprintf("; it had been started again %d times", c.restarts)
	}
	f.err = errors.New(how)
	close(f.died)
}

func (f *Fleet) isStopping() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stopping
}

// Done is closed when a server has ended by itself and is not started again; [Fleet.Err] then says which, and what it last
// said.
func (f *Fleet) Done() <-chan struct{} { return f.died }

// Err is nil until Done is closed.
func (f *Fleet) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Client is what a client of the servers needs to know of them.
func (f *Fleet) Client() wire.ClientOptions {
	o := wire.ClientOptions{Servers: f.Servers(), MaxConnsPerHost: MaxConns(), MaxConns: map[string]int{}}
	for _, c := range f.children {
		if _, own := c.launch.(*ownServer); own {
			o.MaxConns[c.in.Name] = maxInside(c.in) // it accepts no more: calls above that wait here
		}
	}
	if f.fused != nil {
		o.Local = f.fused.local
	}
	return o
}

// Servers maps each instance that has a process of its own to its base URL.
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
	f.profiler.stop()
	metrics.Gym.ServersActive(ctx, 0)
	errs := make([]error, len(f.children)+1)
	var wg sync.WaitGroup
	if f.fused != nil {
		wg.Go(func() { errs[len(f.children)] = f.fused.stop() })
	}
	for i, c := range f.children {
		wg.Go(func() {
			errs[i] = c.stop(ctx, f.o.Grace)
			c.watch.Do(c.end) // nobody watches one that has never answered
			<-c.gone
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
