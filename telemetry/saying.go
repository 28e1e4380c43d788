//go:build !lens_off

package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// saying is a handler of logs that keeps what would be said, from warnings on.
type saying struct {
	mu    sync.Mutex
	lines []string
}

var _ slog.Handler = (*saying)(nil)

// Enabled is that of a program's log at its usual level.
func (*saying) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle keeps a record as a sentence, with its attributes behind it.
func (s *saying) Handle(_ context.Context, r slog.Record) error {
	var attrs []string
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, fmt.Sprintf("%s %v", strings.ReplaceAll(a.Key, "_", " "), a.Value))
		return true
	})
	text := strings.TrimPrefix(r.Message, "telemetry: ")
	if len(attrs) > 0 {
		text += " (" + strings.Join(attrs, ", ") + ")"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text)
	return nil
}

// WithAttrs and WithGroup are for loggers that telemetry does not make.

func (s *saying) WithAttrs([]slog.Attr) slog.Handler { return s }
func (s *saying) WithGroup(string) slog.Handler      { return s }

// take returns what was said since it was last asked.
func (s *saying) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}
