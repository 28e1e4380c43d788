//go:build lens_off

package lensslog

import "log/slog"

// NewHandler gives a handler that adds the span of a record's context to it and hands it to h; in a build with lens_off it
// gives h itself. A nil h discards all records.
func NewHandler(h slog.Handler) slog.Handler {
	if h == nil {
		return slog.DiscardHandler
	}
	return h
}
