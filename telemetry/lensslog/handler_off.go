//go:build lens_off

package lensslog

import "log/slog"

// NewHandler gives h, in a build with lens_off. A nil h discards all records.
func NewHandler(h slog.Handler) slog.Handler {
	if h == nil {
		return slog.DiscardHandler
	}
	return h
}
