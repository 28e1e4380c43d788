//go:build !lens_off

package telemetry

import (
	"bytes"
	"log/slog"
	"testing"
	"time"
)

// TestInterval: EN-07. A value that is no interval is warned about and stops nothing.
func TestInterval(t *testing.T) {
	for text, want := range map[string]struct {
		interval time.Duration
		warns    bool
	}{
		"":                    {10 * time.Second, false},
		" ":                   {10 * time.Second, false},
		"500":                 {500 * time.Millisecond, false},
		"abc":                 {10 * time.Second, true},
		"10s":                 {10 * time.Second, true},
		"0":                   {10 * time.Second, true},
		"-5":                  {10 * time.Second, true},
		"1e99":                {10 * time.Second, true},
		"9999999999999999999": {10 * time.Second, true},
	} {
		t.Run(text, func(t *testing.T) {
			t.Setenv(envInterval, text)
			var log bytes.Buffer
			if got := interval(slog.New(slog.NewTextHandler(&log, nil))); got != want.interval || (log.Len() > 0) != want.warns {
				t.Errorf("%v, log %q", got, &log)
			}
		})
	}
}
