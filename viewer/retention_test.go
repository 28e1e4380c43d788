package viewer

import (
	"strings"
	"testing"
	"time"
)

func TestParseRetention(t *testing.T) {
	for text, want := range map[string]Retention{
		"2GB,7d":      {2e9, 7 * day},
		" 7d , 2GB ":  {2e9, 7 * day},
		"500MB":       {500e6, 0},
		"1.5TB":       {1.5e12, 0},
		"64 kB":       {64e3, 0},
		"90m":         {0, 90 * time.Minute},
		"12h":         {0, 12 * time.Hour},
		"2w":          {0, 14 * day},
		"all":         {},
		"0.5GB,0.25d": {5e8, 6 * time.Hour},
	} {
		got, err := ParseRetention(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
		if again, err := ParseRetention(got.String()); err != nil || again != got {
			t.Errorf("%q does not come back from %q: %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"":          "neither a size",
		"2":         "neither a size",
		"2GB,":      "neither a size",
		"2GB,3GB":   "two sizes",
		"2d,3d":     "two ages",
		"-2GB":      "neither a size",
		"0d":        "neither a size",
		"NaNGB":     "neither a size",
		"1e300GB":   "more than a disk",
		"1e300d":    "longer than a hundred years",
		"InfGB":     "neither a size",
		"7 days":    "neither a size",
		"2GB, all":  "neither a size",
		"2 GiB":     "neither a size",
		"7d;2GB":    "neither a size",
		"all,2GB,x": "neither a size",
	} {
		if got, err := ParseRetention(text); err == nil || !strings.Contains(err.Error(), want) || got != (Retention{}) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
}
