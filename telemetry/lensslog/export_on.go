//go:build !lens_off

package lensslog

import (
	"context"
	"errors"
	"log/slog"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/log/embedded"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/internal/logsink"
)

// NewExporter gives a handler that hands each record to h and, while telemetry with logs is set up in this process, to its
// exporter too, from level on (nil: Info). Exported records carry the span of their context. In a build with lens_off it
// gives h itself. A nil h is no handler: records are exported only.
//
// The level of h stays its own: a record may be exported that h does not want, and the other way round. What package
// telemetry logs itself goes to h only. Wrapping twice exports once.
func NewExporter(h slog.Handler, level slog.Leveler) slog.Handler {
	if h == nil {
		h = slog.DiscardHandler
	}
	if level == nil {
		level = slog.LevelInfo
	}
	if e, ok := h.(*exporter); ok {
		return e
	}
	return &exporter{to: h, level: level, bridge: otelslog.NewHandler(semconv.ScopeLens, otelslog.WithLoggerProvider(provider{}))}
}

// exporter is a handler and the bridge beside it.
type exporter struct {
	to     slog.Handler
	level  slog.Leveler
	bridge slog.Handler
}

func (e *exporter) exports(ctx context.Context, level slog.Level) bool {
	return level >= e.level.Level() && logsink.Get() != nil && (ctx == nil || !logsink.IsOwn(ctx))
}

// Enabled reports whether either wants the record.
func (e *exporter) Enabled(ctx context.Context, level slog.Level) bool {
	return e.exports(ctx, level) || e.to.Enabled(ctx, level)
}

// Handle hands the record to both.
func (e *exporter) Handle(ctx context.Context, r slog.Record) error {
	var errs [2]error
	if e.to.Enabled(ctx, r.Level) {
		errs[0] = e.to.Handle(ctx, r.Clone())
	}
	if e.exports(ctx, r.Level) {
		errs[1] = e.bridge.Handle(ctx, r)
	}
	return errors.Join(errs[:]...)
}

// WithAttrs adds attributes in both.
func (e *exporter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &exporter{to: e.to.WithAttrs(attrs), level: e.level, bridge: e.bridge.WithAttrs(attrs)}
}

// WithGroup opens a group in both.
func (e *exporter) WithGroup(name string) slog.Handler {
	return &exporter{to: e.to.WithGroup(name), level: e.level, bridge: e.bridge.WithGroup(name)}
}

// provider gives loggers that ask for the process's provider at each record, so that a handler outlives set-ups.
type provider struct{ embedded.LoggerProvider }

func (provider) Logger(name string, options ...log.LoggerOption) log.Logger {
	return logger{name: name, options: options}
}

type logger struct {
	embedded.Logger
	name    string
	options []log.LoggerOption
}

// Emit is called only when there is a provider, or was a moment ago.
func (l logger) Emit(ctx context.Context, r log.Record) {
	if p := logsink.Get(); p != nil {
		p.Logger(l.name, l.options...).Emit(ctx, r)
	}
}

// Enabled is decided by the handler.
func (logger) Enabled(context.Context, log.EnabledParameters) bool { return true }
