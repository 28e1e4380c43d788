//go:build !lens_off

package telemetry

import (
	"context"
	"log/slog"
	"os"

	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/logsink"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// own marks the records of a context as telemetry's own.
func own(ctx context.Context) context.Context { return logsink.Own(ctx) }

// newLogs makes the pipeline of logs, nil when there is none: logs are off, or the caller has brought an exporter of spans,
// so that the configured one is not looked at. What comes faster than it leaves is bounded by OTEL_BLRP_*, which the SDK reads.
func newLogs(ctx context.Context, c Config, res *sdkresource.Resource, o option.Set, s *self, log *slog.Logger) (*sdklog.LoggerProvider, error) {
	if !c.LogsEnabled || o.Exporter != nil {
		return nil, nil
	}
	sayUnusable(logVariables, log)
	exporter, err := newLogExporter(ctx, c, log)
	if exporter == nil || err != nil {
		return nil, err
	}
	s.logs, _ = exporter.(*export.OTLPLogs)
	return sdklog.NewLoggerProvider(sdklog.WithResource(res), sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter))), nil
}

// newLogExporter makes the exporter that c names; nil when that is none.
func newLogExporter(ctx context.Context, c Config, log *slog.Logger) (sdklog.Exporter, error) {
	name, err := c.exporterFor("LOGS", log)
	switch {
	case err != nil:
		return nil, err
	case name == ExporterConsole:
		return export.NewConsoleLogs(os.Stdout), nil
	case name == ExporterNone:
		return nil, nil
	}
	return export.NewOTLPLogs(ctx, otlpConfig(c, log))
}
