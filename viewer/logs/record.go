package logs

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// Record is a log record and who sent it.
type Record struct {
	plog.LogRecord
	Service string // "" when the resource names none
	Run     string // likewise
	Level   Level
}

// Time is when it happened, or else when it was seen, in unix nanoseconds; 0 is unknown.
func (r *Record) Time() uint64 {
	if t := r.Timestamp(); t != 0 {
		return uint64(t)
	}
	return uint64(r.ObservedTimestamp())
}

// eachRecord calls fn for the records of requests, in their order, until it returns false.
func eachRecord(req []byte, fn func(Record) bool) error {
	r := plogotlp.NewExportRequest()
	if err := r.UnmarshalProto(req); err != nil {
		return err
	}
	for _, rl := range r.Logs().ResourceLogs().All() {
		service, run := attribute(rl.Resource(), semconv.ServiceName), attribute(rl.Resource(), semconv.NemoRunID)
		for _, sl := range rl.ScopeLogs().All() {
			for _, l := range sl.LogRecords().All() {
				if !fn(Record{LogRecord: l, Service: service, Run: run, Level: levelOf(l.SeverityNumber(), l.SeverityText())}) {
					return nil
				}
			}
		}
	}
	return nil
}

func attribute(r pcommon.Resource, key string) string {
	if v, ok := r.Attributes().Get(key); ok {
		return otlp.Text(v.AsString())
	}
	return ""
}

// holds reports whether a text is in the body or an attribute, in whatever case. text is in lower case.
func (r *Record) holds(text string) bool {
	if text == "" || strings.Contains(strings.ToLower(r.Body().AsString()), text) {
		return true
	}
	for k, v := range r.Attributes().All() {
		if strings.Contains(strings.ToLower(k), text) || strings.Contains(strings.ToLower(v.AsString()), text) {
			return true
		}
	}
	return false
}
