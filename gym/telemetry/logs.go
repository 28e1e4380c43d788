package telemetry

import (
	"log/slog"

	"github.com/lensgo/lens/telemetry/lensslog"
)

// LogHandler gives a handler that hands records to h and, where the telemetry of this process has logs (logs_enabled,
// NEMO_GYM_OTEL_LOGS_ENABLED), to their exporter too, from Info on.
func LogHandler(h slog.Handler) slog.Handler { return lensslog.NewExporter(h, slog.LevelInfo) }
