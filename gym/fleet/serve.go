package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
)

// Environment variables by which a child that was not started by [Start] gets its configuration, as in the Python system.
const (
	EnvConfigDict = "NEMO_GYM_CONFIG_DICT" // the whole merged configuration, YAML or JSON
	EnvConfigPath = "NEMO_GYM_CONFIG_PATH" // the instance that this process serves
)

// flushBudget bounds how long a server may take to hand out its last spans.
const flushBudget = 4 * time.Second

// Builder makes the server of one implementation.
type Builder func(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error)

// ServeOptions say what a child serves. The descriptors are those that [Start] names by flags; 0 means absent.
type ServeOptions struct {
	Instance                         string
	ConfigFD, ListenerFD, LifelineFD int
	// Builders has one entry for each implementation that this binary knows.
	Builders map[string]Builder
	Logger   *slog.Logger // nil: [Logger] on standard error
}

// Serve runs one server until ctx ends or the supervisor is gone, then lets running requests finish, flushes telemetry
// and returns.
func Serve(ctx context.Context, o ServeOptions) error {
	start := readStamps()
	descriptors()
	start.stages.Begin(StageLoadConfig)
	graph, err := o.graph()
	if err != nil {
		return err
	}
	in, build, err := o.find(graph)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.LifelineFD > 0 {
		go hold(os.NewFile(uintptr(o.LifelineFD), "lifeline"), cancel)
	}
	listener, err := o.listener(in)
	if err != nil {
		return err
	}
	defer listener.Close()

	start.stages.Begin(StageInitTelemetry)
	handle, err := telemetry.Setup(ctx, telemetry.Identity{Server: in.Name, Type: in.Type})
	if err != nil && !errors.Is(err, telemetry.ErrCompiledOut) { // the supervisor is the same program and has said that
		o.Logger.Warn("telemetry is off, or records less than was asked for", "reason", err)
	}
	if handle != nil {
		defer flush(handle, o.Logger)
	}

	start.stages.Begin(stageInitServer)
	client := wire.NewClient(clientOptions(graph, in))
	defer client.Close()
	server, err := build(in, client, o.Logger)
	if err != nil {
		return fmt.Errorf("cannot build server %q (%s): %w", in.Name, in.Impl, err)
	}
	start.end(ctx, in.Name, in.Type)
	return server.Serve(ctx, limit(listener, maxInside(in)))
}

// clientOptions are those of a server process: the servers of the run, and bounds that keep it within its descriptors.
func clientOptions(g *config.Graph, in *config.Instance) wire.ClientOptions {
	o := wire.ClientOptions{Servers: servers(g), MaxConnsPerHost: maxInside(in), MaxConns: map[string]int{}}
	for _, name := range g.Names(config.TypeResources) {
		o.MaxConns[name] = resourcesConns
	}
	return o
}

type shutdowner interface{ Shutdown(context.Context) error }

func flush(h shutdowner, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), flushBudget)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		logger.Warn("not all telemetry was delivered", "reason", err)
	}
}

// hold ends the child when the lifeline is cut.
func hold(lifeline *os.File, cancel func()) {
	defer lifeline.Close()
	io.Copy(io.Discard, lifeline) //nolint:errcheck // nothing is ever written; an error is an end too
	cancel()
}

// graph reads the configuration from the inherited pipe, or from the environment when there is none.
func (o *ServeOptions) graph() (*config.Graph, error) {
	if o.ConfigFD > 0 {
		pipe := os.NewFile(uintptr(o.ConfigFD), "config")
		defer pipe.Close()
		encoded, err := io.ReadAll(pipe)
		if err != nil {
			return nil, fmt.Errorf("cannot read the configuration from descriptor %d: %w", o.ConfigFD, err)
		}
		return config.Decode(encoded)
	}
	dict := os.Getenv(EnvConfigDict)
	if dict == "" {
		return nil, fmt.Errorf("cannot find a configuration: this verb is started by a supervisor (gym eval run), or needs %s and %s", EnvConfigDict, EnvConfigPath)
	}
	graph, err := config.Decode([]byte(dict))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", EnvConfigDict, err)
	}
	return graph, nil
}

// find returns the instance to serve and the builder of its implementation.
func (o *ServeOptions) find(graph *config.Graph) (*config.Instance, Builder, error) {
	if o.Instance == "" {
		o.Instance = os.Getenv(EnvConfigPath)
	}
	if o.Logger == nil {
		o.Logger = Logger(os.Stderr, o.Instance)
	}
	in := graph.Instance(o.Instance)
	if in == nil {
		return nil, nil, fmt.Errorf("cannot serve %q: the configuration has no such instance", o.Instance)
	}
	build, ok := o.Builders[in.Impl]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(o.Builders)), ", ")
		return nil, nil, fmt.Errorf("cannot serve %q: implementation %q is not in this binary, which knows: %s", in.Name, in.Impl, known)
	}
	return in, build, nil
}

// listener takes over the socket that the supervisor bound, or binds the configured address.
func (o *ServeOptions) listener(in *config.Instance) (net.Listener, error) {
	if o.ListenerFD == 0 {
		if in.Port == 0 {
			return nil, errors.New("cannot listen: the configuration has no port for " + in.Name)
		}
		return net.Listen("tcp", net.JoinHostPort(in.Host, strconv.Itoa(in.Port)))
	}
	f := os.NewFile(uintptr(o.ListenerFD), "listener")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("cannot take over the listener at descriptor %d: %w", o.ListenerFD, err)
	}
	return l, nil
}

func servers(g *config.Graph) map[string]string {
	urls := make(map[string]string, len(g.Instances))
	for _, in := range g.Instances {
		urls[in.Name] = in.URL()
	}
	return urls
}
