//go:build lens_off

package lensslog

import "log/slog"

// NewExporter gives a handler that hands each record to h and, while telemetry with logs is set up in this process, to its
// exporter too, from level on (nil: Info). Exported records carry the span of their context. In a build with lens_off it
// gives h itself. A nil h is no handler: records are exported only.
//
// The level of h stays its own: a record may be exported that h does not want, and the other way round. What package
// telemetry logs itself goes to h only. Wrapping twice exports once.
func NewExporter(h slog.Handler, level slog.Leveler) slog.Handler { return NewHandler(h) }
