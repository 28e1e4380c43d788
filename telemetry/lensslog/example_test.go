//go:build !lens_off

package lensslog_test

import (
	"context"
	"log/slog"
	"os"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry/lensslog"
)

// What is logged while a request of somebody else is handled names that request's trace.
func Example() {
	noTime := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	log := slog.New(lensslog.NewHandler(slog.NewTextHandler(os.Stdout, noTime)))

	ctx := lens.Extract(context.Background(), lens.Map{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	log.InfoContext(ctx, "request", "path", "/run")
	log.WithGroup("server").InfoContext(ctx, "request", "path", "/run")
	log.Info("idle")
	// Output:
	// level=INFO msg=request path=/run trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 trace_flags=01
	// level=INFO msg=request server.path=/run trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 trace_flags=01
	// level=INFO msg=idle
}
