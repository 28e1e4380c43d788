package telemetry

import (
	"log/slog"

	"github.com/lensgo/lens/telemetry/internal/option"
)

// Option changes what [Setup] does beyond its [Config]. Options apply in order; of two that set the same thing the later
// one wins. Options that take OpenTelemetry types are in package otelopt. A nil Option is skipped.
type Option = option.Option

// WithReinit lets Setup replace an enabled set-up of this process instead of refusing. The old one is shut down first,
// under the context of the new Setup, so nothing that it still holds is lost. It is meant for tests and notebooks.
func WithReinit() Option {
	return option.Func(func(s *option.Set) { s.Reinit = true })
}

// WithLogger sends the warnings of this set-up and of its exporters to l. Default and nil: slog.Default() at the time of
// the message.
func WithLogger(l *slog.Logger) Option {
	return option.Func(func(s *option.Set) { s.Logger = l })
}

// WithoutReport leaves out the line that says at the end what became of the spans, when not all of them arrived. It is for programs
// that say so themselves, from the error of Shutdown and [Handle.Stats].
func WithoutReport() Option {
	return option.Func(func(s *option.Set) { s.Unreported = true })
}

// WithRuntimeMetrics adds to the exported metrics those of the Go runtime (go.*: memory, goroutines, how long they wait to
// run, pauses of the garbage collector) and, on Linux, of the process (process.*: CPU time, memory, threads, open files) and
// the host (system.*: memory, CPU time, load). It does nothing when metrics go to a reader of the caller's own.
func WithRuntimeMetrics() Option {
	return option.Func(func(s *option.Set) { s.Runtime = true })
}
