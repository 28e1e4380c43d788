package logs

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
)

// Level is how bad a record is: the range of OTLP that its severity number lies in.
type Level uint8

const (
	Unknown Level = iota // neither a number nor a text that says it
	Tracing
	Debug
	Info
	Warn
	Error
	Fatal

	levels = 7
)

var levelNames = [levels]string{"unknown", "trace", "debug", "info", "warn", "error", "fatal"}

// String returns the word of the API.
func (l Level) String() string { return levelNames[l%levels] }

// ParseLevel reads what String returned.
func ParseLevel(s string) (Level, bool) {
	for i, name := range levelNames {
		if name == s {
			return Level(i), true
		}
	}
	return Unknown, false
}

// levelOf reads the level of a record.
func levelOf(number plog.SeverityNumber, text string) Level {
	if number >= 1 && number <= 24 {
		return Level((number-1)/4) + Tracing
	}
	text = strings.ToLower(strings.TrimSpace(text))
	for _, w := range [...]struct {
		begin string
		level Level
	}{{"trace", Tracing}, {"debug", Debug}, {"info", Info}, {"notice", Info}, {"warn", Warn}, {"err", Error}, {"fatal", Fatal}, {"crit", Fatal}, {"panic", Fatal}, {"alert", Fatal}, {"emerg", Fatal}} {
		if strings.HasPrefix(text, w.begin) {
			return w.level
		}
	}
	return Unknown
}
