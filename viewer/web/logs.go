package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

const (
	maxLogRecords  = 10_000  // of a trace
	maxCountedLogs = 8 << 20 // bytes of stored logs up to which those of a trace are counted for its header
	logSearchTime  = 2 * time.Second
)

// The store has no index of logs, so that those of a trace are found by reading them all. Chunks in which the bytes of the
// trace id do not occur are passed over without being decoded.

var errEnough = errors.New("enough")

// logsOf finds the logs of a trace, by time. The problem says why they may not be all.
func (h *Handler) logsOf(ctx context.Context, v *view) (list []LogRecord, problem string, err error) {
	ctx, cancel := context.WithTimeout(ctx, logSearchTime)
	defer cancel()
	id := v.trace.ID
	err = h.o.Store.Each(ctx, store.Logs, func(b []byte) error {
		if !bytes.Contains(b, id[:]) {
			return ctx.Err()
		}
		req := plogotlp.NewExportRequest()
		if err := req.UnmarshalProto(b); err != nil {
			problem = "A part of the stored logs cannot be read."
			return nil
		}
		list = appendLogs(list, req.Logs(), v)
		if len(list) >= maxLogRecords {
			return errEnough
		}
		return ctx.Err()
	})
	switch {
	case errors.Is(err, errEnough):
		problem, err = "This trace has more than 10,000 log records; the first of them are here.", nil
	case errors.Is(err, context.DeadlineExceeded):
		problem, err = "Not all stored logs were searched: that takes more than 2 s here.", nil
	}
	slices.SortStableFunc(list, func(a, b LogRecord) int { return cmp.Compare(a.Time, b.Time) })
	return list[:min(len(list), maxLogRecords)], problem, err
}

func appendLogs(list []LogRecord, logs plog.Logs, v *view) []LogRecord {
	for _, rl := range logs.ResourceLogs().All() {
		service := "unknown service"
		if name, ok := rl.Resource().Attributes().Get(semconv.ServiceName); ok {
			service = clip(otlp.Text(name.AsString()), 200)
		}
		for _, sl := range rl.ScopeLogs().All() {
			for _, l := range sl.LogRecords().All() {
				if otlp.TraceID(l.TraceID()) == v.trace.ID {
					list = append(list, logRecord(l, service, v.start))
				}
			}
		}
	}
	return list
}

func logRecord(l plog.LogRecord, service string, start uint64) LogRecord {
	t := uint64(cmp.Or(l.Timestamp(), l.ObservedTimestamp()))
	body := otlp.Text(l.Body().AsString())
	out := LogRecord{Time: Instant(t), StartNS: gap(t, start), Severity: otlp.Text(l.SeverityText()), Number: int32(l.SeverityNumber()),
		Body: cutText(body, maxText), Service: service}
	out.Cut = len(body) - len(out.Body)
	out.Severity = clip(cmp.Or(out.Severity, severityName(l.SeverityNumber())), 100)
	if id := otlp.SpanID(l.SpanID()); !id.IsZero() {
		out.Span = &id
	}
	for key, value := range l.Attributes().All() {
		if len(out.Attributes) == 64 {
			break
		}
		text := otlp.Text(value.AsString())
		a := Attribute{Key: clip(otlp.Text(key), 1000), Type: pdataType(value.Type()), Text: cutText(text, 4<<10)}
		a.Cut = len(text) - len(a.Text)
		if value.Type() == pcommon.ValueTypeDouble {
			a.Text = floatText(value.Double())
		}
		out.Attributes = append(out.Attributes, a)
	}
	return out
}

func severityName(n plog.SeverityNumber) string {
	if n <= 0 || n > 24 {
		return ""
	}
	return [...]string{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"}[(n-1)/4]
}

func pdataType(t pcommon.ValueType) string {
	switch t {
	case pcommon.ValueTypeStr:
		return "string"
	case pcommon.ValueTypeInt:
		return "int"
	case pcommon.ValueTypeDouble:
		return "double"
	case pcommon.ValueTypeBool:
		return "bool"
	case pcommon.ValueTypeBytes:
		return "bytes"
	case pcommon.ValueTypeSlice:
		return "array"
	case pcommon.ValueTypeMap:
		return "map"
	}
	return "empty"
}

// countLogs counts the logs of a trace, nil when that would take long.
func (h *Handler) countLogs(ctx context.Context, v *view) (*int, error) {
	if h.o.Store.Stats().Kinds[store.Logs].Raw > maxCountedLogs {
		return nil, nil
	}
	list, _, err := h.logsOf(ctx, v)
	if err != nil {
		return nil, err
	}
	return new(len(list)), nil
}

// Logs is the logs of a trace, or a part of them.
type Logs struct {
	Rows    []LogRecord `json:"rows"`
	Next    *string     `json:"next"`
	Total   int         `json:"total"`
	Problem *string     `json:"problem"`
}

func (h *Handler) getLogs(r *http.Request, p *params) (any, error) {
	cursor := p.text("cursor", maxParameter)
	limit := p.number("limit", maxLogs, 1, maxLogs)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	list, problem, err := h.logsOf(r.Context(), v)
	if err != nil {
		return nil, err
	}
	out := &Logs{Total: len(list)}
	if problem != "" {
		out.Problem = &problem
	}
	page, next, err := pageOf(list, cursor, int(limit))
	if err != nil {
		return nil, err
	}
	texts := newBudget()
	for _, l := range page {
		full := len(l.Body) + l.Cut
		l.Body, _ = texts.cut(l.Body)
		l.Cut = full - len(l.Body)
		out.Rows = append(out.Rows, l)
	}
	out.Next = next
	return out, nil
}
