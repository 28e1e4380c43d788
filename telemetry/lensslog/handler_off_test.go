//go:build lens_off

package lensslog_test

import (
	"io"
	"log/slog"
	"testing"

	"github.com/lensgo/lens/telemetry/lensslog"
)

func TestOffBuild(t *testing.T) {
	h := slog.NewTextHandler(io.Discard, nil)
	if lensslog.NewHandler(h) != slog.Handler(h) {
		t.Error("the handler is not the caller's")
	}
	if lensslog.NewHandler(nil).Enabled(t.Context(), slog.LevelError) {
		t.Error("nil does not discard")
	}
}
