package export

import (
	"context"
	"fmt"
	"io"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Console is a span exporter that writes one compact JSON object a line, for eyes and for line tools (grep, jq).
//
// The members are those of the console exporter of OpenTelemetry for Python, which the Python systems beside ours print
// with, and "scope": one filter reads the output of a mixed run. An integer is written in full, a number that JSON
// cannot hold as the text "NaN", "Infinity" or "-Infinity". Control characters are escaped and bytes that are not UTF-8
// become U+FFFD, so that a span cannot break a line or steer a terminal.
//
// Each line is one Write, so that lines of several goroutines, and short ones of several processes, do not mix. Console is
// safe for concurrent use.
type Console struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

var _ sdktrace.SpanExporter = (*Console)(nil)

// NewConsole returns a Console that writes to w. It does not close w.
func NewConsole(w io.Writer) *Console { return &Console{w: w} }

// ExportSpans writes the spans. It stops at the first error of the writer and when ctx ends.
func (c *Console) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range spans {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("cannot print %d of %d spans: %w", len(spans)-i, len(spans), err)
		}
		c.buf = append(appendSpan(c.buf[:0], s), '\n')
		if _, err := c.w.Write(c.buf); err != nil {
			return fmt.Errorf("cannot print %d of %d spans: %w", len(spans)-i, len(spans), err)
		}
	}
	if cap(c.buf) > 1<<20 {
		c.buf = nil // one giant span must not keep its room for ever
	}
	return nil
}

// Shutdown does nothing: every line is out when ExportSpans returns.
func (c *Console) Shutdown(context.Context) error { return nil }
