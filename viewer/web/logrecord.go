package web

import "github.com/lensgo/lens/viewer/otlp"

// LogRecord is a log record of a trace.
type LogRecord struct {
	Time       Instant      `json:"time"`
	StartNS    int64        `json:"start_ns"`
	Severity   string       `json:"severity"`
	Number     int32        `json:"number"`
	Body       string       `json:"body"`
	Cut        int          `json:"cut"`
	Service    string       `json:"service"`
	Span       *otlp.SpanID `json:"span"`
	Attributes []Attribute  `json:"attributes"`
}
