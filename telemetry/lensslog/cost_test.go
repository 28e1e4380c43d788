//go:build !lens_off && !race

package lensslog_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/lensgo/lens/telemetry/lensslog"
)

// TestAllocations: a record without a span costs what it costs without the handler, also where the level is off.
func TestAllocations(t *testing.T) {
	plain := slog.New(slog.NewJSONHandler(io.Discard, nil))
	ours := slog.New(lensslog.NewHandler(plain.Handler()))
	ctx := inside(t, t.Context())
	count := func(l *slog.Logger, ctx context.Context, level slog.Level) float64 {
		return testing.AllocsPerRun(200, func() { l.LogAttrs(ctx, level, "message", slog.Int("k", 1), slog.Bool("b", true)) })
	}
	for name, ctx := range map[string]context.Context{"no span": t.Context(), "in a span": ctx} {
		if n := count(ours, ctx, slog.LevelDebug); n != 0 {
			t.Errorf("%s, level off: %v allocations", name, n)
		}
	}
	if a, b := count(plain, t.Context(), slog.LevelInfo), count(ours, t.Context(), slog.LevelInfo); b > a {
		t.Errorf("without a span %v allocations, %v without the handler", b, a)
	}
	if n := count(ours, ctx, slog.LevelInfo); n > 1 {
		t.Errorf("in a span %v allocations, want one, for the ids", n)
	}
}

// BenchmarkHandler is a record through the handler beside one without it.
func BenchmarkHandler(b *testing.B) {
	plain := slog.New(slog.NewJSONHandler(io.Discard, nil))
	ours := slog.New(lensslog.NewHandler(plain.Handler()))
	ctx := inside(b, b.Context())
	for _, bb := range []struct {
		name   string
		logger *slog.Logger
		ctx    context.Context
	}{
		{"Off/Plain", plain, b.Context()},
		{"Off/Lens", ours, b.Context()},
		{"On/Plain", plain.With("trace_id", "0af7651916cd43dd8448eb211c80319c", "span_id", "b7ad6b7169203331", "trace_flags", "03"), ctx},
		{"On/Lens", ours, ctx},
		{"On/PlainGroup", plain.WithGroup("g").With("w", 1), ctx},
		{"On/LensGroup", ours.WithGroup("g").With("w", 1), ctx},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.logger.LogAttrs(bb.ctx, slog.LevelInfo, "message", slog.Int("k", 1), slog.Bool("b", true))
			}
		})
	}
}
