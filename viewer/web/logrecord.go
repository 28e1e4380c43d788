package web

import "github.com/lensgo/lens/viewer/otlp"

// LogLine is a log record.
type LogLine struct {
	Time       Instant      `json:"time"`
	Severity   string       `json:"severity"`
	Number     int32        `json:"number"`
	Body       string       `json:"body"`
	Cut        int          `json:"cut"`
	Service    string       `json:"service"`
	Span       *otlp.SpanID `json:"span"`
	Attributes []Attribute  `json:"attributes"`
}

// LogRecord is a log record of a trace.
type LogRecord struct {
	LogLine
	StartNS int64 `json:"start_ns"`
}

// RunLog is a log record of a run.
type RunLog struct {
	LogLine
	Since *int64        `json:"since_run_ns"`
	Level string        `json:"level"`
	Trace *otlp.TraceID `json:"trace"`
	At    *int64        `json:"at"`
}

// spend cuts the body to what an answer has room for.
func (l *LogLine) spend(b *budget) {
	full := len(l.Body) + l.Cut
	l.Body, _ = b.cut(l.Body)
	l.Cut = full - len(l.Body)
}
