package export

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// ConsoleLogs is an exporter of logs that writes one compact JSON object a line, with the members of the console exporter of
// OpenTelemetry for Python, and "scope". Texts and numbers are written as [Console] writes them. It is safe for concurrent use.
type ConsoleLogs struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

var _ sdklog.Exporter = (*ConsoleLogs)(nil)

// NewConsoleLogs returns a ConsoleLogs that writes to w. It does not close w.
func NewConsoleLogs(w io.Writer) *ConsoleLogs { return &ConsoleLogs{w: w} }

// Export writes the records. It stops at the first error of the writer and when ctx ends.
func (c *ConsoleLogs) Export(ctx context.Context, records []sdklog.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range records {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("cannot print %d of %d log records: %w", len(records)-i, len(records), err)
		}
		c.buf = append(appendRecord(c.buf[:0], &records[i]), '\n')
		if _, err := c.w.Write(c.buf); err != nil {
			return fmt.Errorf("cannot print log records: %w", err)
		}
	}
	return nil
}

// ForceFlush does nothing: every line is out when Export returns.
func (c *ConsoleLogs) ForceFlush(context.Context) error { return nil }

// Shutdown does nothing.
func (c *ConsoleLogs) Shutdown(context.Context) error { return nil }

// appendRecord appends r as a JSON object.
func appendRecord(b []byte, r *sdklog.Record) []byte {
	b = appendValue(append(b, `{"body":`...), r.Body())
	b = strconv.AppendInt(append(b, `,"severity_number":`...), int64(r.Severity()), 10)
	b = appendString(append(b, `,"severity_text":`...), r.SeverityText())
	b = append(b, `,"attributes":{`...)
	first := true
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendValue(append(appendString(b, string(kv.Key)), ':'), kv.Value)
		return true
	})
	b = strconv.AppendInt(append(b, `},"dropped_attributes":`...), int64(r.DroppedAttributes()), 10)
	b = appendTime(append(b, `,"timestamp":`...), r.Timestamp())
	b = appendTime(append(b, `,"observed_timestamp":`...), r.ObservedTimestamp())
	trace, span := r.TraceID(), r.SpanID()
	b = append(hex.AppendEncode(append(b, `,"trace_id":"0x`...), trace[:]), '"')
	b = append(hex.AppendEncode(append(b, `,"span_id":"0x`...), span[:]), '"')
	b = strconv.AppendInt(append(b, `,"trace_flags":`...), int64(r.TraceFlags()), 10)
	b = appendResource(append(b, `,"resource":`...), r.Resource())
	b = appendScope(append(b, `,"scope":`...), r.InstrumentationScope())
	if name := r.EventName(); name != "" {
		b = appendString(append(b, `,"event_name":`...), name)
	}
	return append(b, '}')
}
