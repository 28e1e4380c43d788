package telemetry

import (
	"context"
	"log/slog"
)

// defaultHandler hands records to slog.Default() as it is when they come, not as it was when telemetry was set up.
type defaultHandler struct{}

func (defaultHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return slog.Default().Enabled(ctx, l)
}

func (defaultHandler) Handle(ctx context.Context, r slog.Record) error {
	return slog.Default().Handler().Handle(ctx, r)
}

func (defaultHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return slog.Default().Handler().WithAttrs(attrs)
}

func (defaultHandler) WithGroup(name string) slog.Handler {
	return slog.Default().Handler().WithGroup(name)
}

// ownLog marks what telemetry logs itself, so that a handler which exports logs leaves it out.
type ownLog struct{ slog.Handler }

func (h ownLog) Enabled(ctx context.Context, l slog.Level) bool {
	return h.Handler.Enabled(own(ctx), l)
}

func (h ownLog) Handle(ctx context.Context, r slog.Record) error {
	return h.Handler.Handle(own(ctx), r)
}

func (h ownLog) WithAttrs(attrs []slog.Attr) slog.Handler { return ownLog{h.Handler.WithAttrs(attrs)} }

func (h ownLog) WithGroup(name string) slog.Handler { return ownLog{h.Handler.WithGroup(name)} }
