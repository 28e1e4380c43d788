package metrics

import (
	"log/slog"
	"sync/atomic"
)

var logger atomic.Pointer[slog.Logger]

// SetLogger sets where the warnings of this package go; nil, as at the start, means slog.Default() at the time of the
// message. The logger is called without a lock held, so it may use the package.
func SetLogger(l *slog.Logger) { logger.Store(l) }
