package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/lensgo/lens/telemetry"
)

// Prefixes of the variables, the one that wins first.
const (
	Prefix         = "NEMO_GYM_OTEL"
	FallbackPrefix = "NEMO_LENS"
)

// DefaultServiceName is the base of the service names: a server shows as nemo-gym/<server>.
const DefaultServiceName = "nemo-gym"

// ServiceName is the base of the service names by the environment of this process.
func ServiceName() string { return telemetry.ServiceName(DefaultServiceName) }

const (
	envServiceName = "OTEL_SERVICE_NAME"
	envPerServer   = Prefix + "_SERVICE_NAME_PER_SERVER"
	envSpool       = "_SPOOL"         // behind a prefix
	envRecords     = "_START_RECORDS" // the same
)

// ErrCompiledOut is in the error of Setup when telemetry is asked for and the program was built without it (lens_off). A
// supervisor says it once, for its servers too.
var ErrCompiledOut = telemetry.ErrCompiledOut

// process is the one set-up of this process.
var process struct {
	mu     sync.Mutex
	handle *telemetry.Handle
	err    error

	content atomic.Int64 // what Content returns
}

// Setup turns telemetry on in this process as its environment says, under the name that id gives it, and returns the Handle
// to shut down before the process ends. Give that shutdown a budget; five seconds are usual.
//
// It never keeps a server from starting: the Handle is usable whatever happens. When a variable cannot be read, or telemetry
// cannot be set up, telemetry is off, and the error beside the Handle says why, for the caller to log. When it is only the
// switch of [Content] that cannot be read, telemetry is on, content is off, and the error says that.
//
// The first call decides, also when it finds telemetry disabled; later ones and those that race with it get the same
// Handle and error, until that Handle is shut down. A program that has set telemetry up by itself before keeps its own:
// Gym's groups follow its spec, and the returned Handle only flushes at Shutdown.
//
// What the collector does not take is kept in the spool of package telemetry until it does, unless the environment says that
// there is none (NEMO_GYM_OTEL_SPOOL=0). Among the metrics are those of the Go runtime and of the process.
func Setup(ctx context.Context, id Identity) (*telemetry.Handle, error) {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.handle == nil || process.handle.Closed() {
		process.handle, process.err = setup(ctx, id)
		if process.content.Store(0); process.err == nil && telemetry.Current() != nil {
			process.err = setupContent(OS)
		}
	}
	return process.handle, process.err
}

func setup(ctx context.Context, id Identity) (*telemetry.Handle, error) {
	if host := telemetry.Current(); host != nil {
		return host.Borrow(), nil
	}
	c, err := FromEnv(id)
	if err != nil {
		return disabled(ctx, c), fmt.Errorf("telemetry is off: %w", err)
	}
	h, err := telemetry.Setup(ctx, c, append(id.options(ServiceName()), telemetry.WithRuntimeMetrics())...)
	if host := telemetry.Current(); errors.Is(err, telemetry.ErrInitialised) && host != nil {
		return host.Borrow(), nil // it came between
	}
	if err != nil {
		return disabled(ctx, c), fmt.Errorf("telemetry is off: %w", err)
	}
	return h, nil
}

// FromEnv is the configuration that the environment gives to [Setup] for a process. It is off beside an error, which names the
// variable.
func FromEnv(id Identity) (telemetry.Config, error) {
	c, err := telemetry.FromEnv(Prefix, FallbackPrefix)
	if err != nil {
		return c, err
	}
	perServer, err := perServerFromEnv()
	if err != nil {
		c.Enabled = false
		return c, err
	}
	c.ServiceName = id.serviceName(ServiceName(), perServer)
	if key, _ := firstSet(OS, Prefix+envSpool, FallbackPrefix+envSpool); key == "" {
		c.Spool = true // a server runs for long, and its collector has worse days than a short tool's
	}
	return c, nil
}

// setupContent decides about Content.
func setupContent(env Environ) error {
	on, err := content(env)
	if !on {
		return err
	}
	bound, err := boundOf(env)
	process.content.Store(int64(bound))
	return err
}

// disabled returns the Handle of a set-up that is off, which cannot fail.
func disabled(ctx context.Context, c telemetry.Config) *telemetry.Handle {
	c.Enabled = false
	h, _ := telemetry.Setup(ctx, c)
	return h
}

func perServerFromEnv() (bool, error) {
	text := value(OS, envPerServer)
	if text == "" {
		return true, nil
	}
	b, ok := telemetry.ParseBool(text)
	if !ok {
		return false, fmt.Errorf("cannot read %s: %q is not a boolean; use 1, true, yes, on or 0, false, no, off",
			envPerServer, text)
	}
	return b, nil
}

// Enabled reports whether the environment of this process turns telemetry on, before or after Setup. The variable with
// Gym's prefix counts when it is set, else the one of Lens. A value that is no boolean is off, since Setup refuses it.
func Enabled() bool { return enabled(OS) }

func enabled(env Environ) bool {
	if sdkDisabled(env) {
		return false
	}
	_, v := firstSet(env, Prefix+"_ENABLED", FallbackPrefix+"_ENABLED")
	on, _ := telemetry.ParseBool(v)
	return on
}
