package otlp

import (
	"math"
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                          0,
		"0":                         0,
		" 120 ":                     2 * time.Minute,
		"-3":                        0,
		"99999999999":               math.MaxInt32 * time.Second,
		"9999999999999999999999999": 0,
		"1.5":                       0,
		"soon":                      0,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       0,
		"Friday, 02-Jan-26 03:05:05 GMT":                  time.Minute,
	} {
		if got := retryAfter(text, func() time.Time { return now }); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
