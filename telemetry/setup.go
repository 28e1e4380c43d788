package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// ErrInitialised is what [Setup] returns when this process has an enabled set-up that was not shut down.
var ErrInitialised = errors.New("telemetry has already been initialised in this process; " +
	"shut its handle down first, use telemetry.Current, or give telemetry.WithReinit")

// ErrCompiledOut is what an enabled [Setup] returns, beside a Handle on which everything is a no-op, when the program was
// built with the tag lens_off. A program says it once and goes on.
var ErrCompiledOut = errors.New("telemetry is compiled out of this program (build tag lens_off); " +
	"build it without the tag, or disable telemetry")

// process is what one process has once.
var process struct {
	setup   sync.Mutex // one Setup at a time
	mu      sync.Mutex // guards current and the switching of providers; no foreign code runs under it
	current *Handle    // the enabled set-up; nil when there is none
}

// Current returns the Handle of the enabled set-up of this process, nil when there is none or it has been shut down.
func Current() *Handle {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.current
}

// Setup turns telemetry on in this process, as c says, and returns the Handle to shut it down with.
//
// Disabled: package lens gets a provider that records nothing and the empty set of groups is pinned, so that no library
// that registers later opens one. OpenTelemetry's globals stay as they are, nothing is detected and no goroutine starts.
// It may be repeated. OTEL_SDK_DISABLED=true disables too, whatever c says.
//
// Enabled: traces go through a batch processor to the exporter, metrics every interval to one of their own. The providers
// become those of package lens and package metrics, the propagator that of package lens, and all three OpenTelemetry's
// globals, so that instrumentations written against OpenTelemetry join the same traces. A second enabled Setup is
// [ErrInitialised]; after Shutdown, or with [WithReinit], it is fine. With TracesEnabled off no span is recorded and the
// tracer provider and the propagator stay as they are; with MetricsEnabled off the same holds for metrics. Setup finds out where
// the process runs, for at most Config.DetectTimeout.
//
// What cannot work is an error that says what would: an unknown exporter or protocol, an endpoint that is no URL. The
// process is then as it was before. A span group that nobody knows is none of them: package lens warns about it.
//
// In a build with the tag lens_off a Setup that is enabled is [ErrCompiledOut] and comes with a Handle all the same. It
// looks at nothing else in c.
//
// Nothing is sent by Setup itself, so a collector that is down is found out by the first export: counted, said once, and
// no reason to stop. ctx bounds Setup only.
func Setup(ctx context.Context, c Config, opts ...Option) (*Handle, error) {
	process.setup.Lock()
	defer process.setup.Unlock()

	if ctx == nil {
		ctx = context.Background()
	}
	o := option.Collect(opts)
	log := slog.New(ownLog{defaultHandler{}})
	if o.Logger != nil {
		log = slog.New(ownLog{o.Logger.Handler()})
	}
	o.Job = c.nameJob()
	if c.Enabled && sdkDisabled(log) {
		log.Info("telemetry: off, because OTEL_SDK_DISABLED is true")
		c.Enabled = false
	}
	if !c.Enabled {
		return disable(c), nil
	}
	return enable(ctx, c, o, log)
}

// sdkDisabled follows the OpenTelemetry specification: only "true", in any case, disables. Who writes 1, as for our own switches, is told.
func sdkDisabled(log *slog.Logger) bool {
	switch value := strings.TrimSpace(os.Getenv("OTEL_SDK_DISABLED")); strings.ToLower(value) {
	case "true":
		return true
	case "", "false":
	default:
		log.Warn("telemetry: OTEL_SDK_DISABLED is neither true nor false, so it disables nothing", "value", value)
	}
	return false
}

func disable(c Config) *Handle {
	silence()
	lens.Pin()
	return newHandle(c.RunID)
}
