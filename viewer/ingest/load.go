package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Loaded counts what [Load] has read.
type Loaded struct {
	// Requests is the requests that the sink has taken: one a line, or more where a line has more than one signal.
	Requests int
	// Spans, DataPoints and LogRecords were kept.
	Spans, DataPoints, LogRecords int
	// Rejected is the spans, data points and log records that the sink turned down, and Why its reasons, each once.
	Rejected int
	Why      []string
}

// Load feeds a file in the OTLP JSON file format, with lines of traces, metrics and logs in any mix, into a sink. The file
// may be compressed, see [OpenFile], and one whose first line is no whole object, a request printed for people, is read as
// JSON over any lines. It stops at the first bad line, at the first error of the sink and at the end of ctx,
// with an error that names file and line; a torn last line, or compressed data that is cut off, is a [*TornError].
// Loaded counts what came before in any case, and the sink has that.
func Load(ctx context.Context, path string, sink Sink) (Loaded, error) {
	l := loading{ctx: ctx, sink: sink, reasons: map[string]bool{}}
	err := readLines(path, l.line)
	if torn := (*TornError)(nil); l.spread && !errors.As(err, &torn) {
		err = readDocuments(path, l.line)
	}
	l.done.Why = slices.Sorted(maps.Keys(l.reasons))
	return l.done, err
}

type loading struct {
	ctx     context.Context
	sink    Sink
	done    Loaded
	reasons map[string]bool
	lines   int  // that were read, or tried
	spread  bool // the first line was the beginning of something longer
}

// line takes one line, which may hold requests of more than one signal.
func (l *loading) line(text []byte) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	l.lines++
	o, err := outlineOf(text)
	if err != nil {
		l.spread = l.lines == 1 && isSpread(text)
		return &badLine{err}
	}
	if len(o.members) > 0 && !slices.ContainsFunc(signals, o.has) {
		return fmt.Errorf("line is no OTLP data: it has %q, must have resourceSpans, resourceMetrics or resourceLogs", o.members)
	}
	for _, s := range signals {
		if !o.has(s) {
			continue
		}
		if err := l.request(s, o, text); err != nil {
			return err
		}
	}
	return nil
}

func (l *loading) request(s *signal, o *outline, text []byte) error {
	req, err := s.fromJSON(o, text, maxLine)
	if err != nil {
		return &badLine{err}
	}
	items, err := s.inspect(req, maxLine)
	if err != nil || len(req) == 0 {
		return err
	}
	rejected, why, err := s.put(l.ctx, l.sink, req)
	if err != nil {
		return err
	}
	rejected = min(max(rejected, 0), items)
	if why != "" {
		l.reasons[why] = true
	}
	l.done.Requests++
	l.done.Rejected += rejected
	switch kept := items - rejected; s {
	case traces:
		l.done.Spans += kept
	case metrics:
		l.done.DataPoints += kept
	case logs:
		l.done.LogRecords += kept
	}
	return nil
}
