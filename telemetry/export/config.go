package export

import (
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Defaults of [BatchConfig]. The SDK's queue holds 2,048 spans in batches of 512, of which two thirds of a burst of 20,000
// do not survive.
const (
	DefaultQueueSize = 32768
	DefaultBatchSize = 4096
	DefaultDelay     = 5 * time.Second
	DefaultTimeout   = 30 * time.Second
)

// Limits of what the environment may ask for. A queue has its room from the start, 24 bytes a span.
const (
	mostSpans  = 1 << 22
	mostMillis = math.MaxInt32 // 24 days
)

// BatchConfig sizes a [Batch]. A field that is zero is read from its OTEL_BSP_* variable, and has its default when that is
// unset or not usable, which is warned about.
type BatchConfig struct {
	// QueueSize bounds the spans that wait (OTEL_BSP_MAX_QUEUE_SIZE).
	QueueSize int
	// BatchSize bounds the spans of one export (OTEL_BSP_MAX_EXPORT_BATCH_SIZE). It is at most QueueSize.
	BatchSize int
	// Delay is the longest time between two exports while spans wait (OTEL_BSP_SCHEDULE_DELAY, milliseconds).
	Delay time.Duration
	// Timeout ends one export (OTEL_BSP_EXPORT_TIMEOUT, milliseconds; 0 there, or negative here, is no limit).
	Timeout time.Duration
	// Logger takes the warnings. Nil: slog.Default() at the time of the message.
	Logger *slog.Logger
}

// complete fills what is zero.
func (c BatchConfig) complete() BatchConfig {
	log := c.logger()
	if c.QueueSize <= 0 {
		c.QueueSize = number(log, "OTEL_BSP_MAX_QUEUE_SIZE", 1, mostSpans, DefaultQueueSize)
	}
	if c.BatchSize <= 0 {
		c.BatchSize = number(log, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, mostSpans, DefaultBatchSize)
	}
	c.BatchSize = min(c.BatchSize, c.QueueSize)
	if c.Delay <= 0 {
		delay := number(log, "OTEL_BSP_SCHEDULE_DELAY", 0, mostMillis, int(DefaultDelay/time.Millisecond))
		c.Delay = time.Duration(max(delay, 1)) * time.Millisecond // 0 means at once, not a busy loop
	}
	if c.Timeout == 0 {
		timeout := number(log, "OTEL_BSP_EXPORT_TIMEOUT", 0, mostMillis, int(DefaultTimeout/time.Millisecond))
		c.Timeout = time.Duration(timeout) * time.Millisecond
	}
	return c
}

func (c BatchConfig) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.Default()
	}
	return c.Logger
}

// number reads an integer from the environment.
func number(log *slog.Logger, variable string, least, most, fallback int) int {
	text := strings.TrimSpace(os.Getenv(variable))
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		log.Warn("telemetry: "+variable+" is not a usable number, its default is used",
			"value", text, "least", least, "most", most, "default", fallback)
		return fallback
	}
	return n
}
