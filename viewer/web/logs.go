package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/otlp"
)

const (
	maxLogRecords    = 10_000 // of a trace
	maxCountedChunks = 8      // of stored logs, up to which those of a trace are counted for its header
	logSearchTime    = 2 * time.Second
)

var errEnough = errors.New("enough")

// logsOf finds the logs of a trace, by time. The problem says why they may not be all.
func (h *Handler) logsOf(ctx context.Context, v *view) (list []LogRecord, problem string, err error) {
	ctx, cancel := context.WithTimeout(ctx, logSearchTime)
	defer cancel()
	found, err := logs.Trace(ctx, h.o.Store, v.trace.ID, func(r logs.Record) error {
		if len(list) == maxLogRecords {
			return errEnough
		}
		list = append(list, LogRecord{logLine(&r), gap(r.Time(), v.start)})
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
		problem, err = "This trace has more than 10,000 log records; the first of them are here.", nil
	case errors.Is(err, context.DeadlineExceeded):
		problem, err = "Not all stored logs were searched: that takes more than 2 s here.", nil
	case found.Damaged > 0:
		problem = damagedLogs
	}
	slices.SortStableFunc(list, func(a, b LogRecord) int { return cmp.Compare(a.Time, b.Time) })
	return list, problem, err
}

const damagedLogs = "A part of the stored logs cannot be read."

func logLine(r *logs.Record) LogLine {
	body := otlp.Text(r.Body().AsString())
	out := LogLine{Time: Instant(r.Time()), Severity: otlp.Text(r.SeverityText()), Number: int32(r.SeverityNumber()),
		Body: cutText(body, maxText), Service: clip(cmp.Or(r.Service, "unknown service"), 200)}
	out.Cut = len(body) - len(out.Body)
	out.Severity = clip(cmp.Or(out.Severity, severityName(r.SeverityNumber())), 100)
	if id := otlp.SpanID(r.SpanID()); !id.IsZero() {
		out.Span = &id
	}
	for key, value := range r.Attributes().All() {
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
	if logs.Chunks(h.o.Store, v.trace.ID) > maxCountedChunks {
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
		l.spend(texts)
		out.Rows = append(out.Rows, l)
	}
	out.Next = next
	return out, nil
}
