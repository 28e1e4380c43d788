package fleet

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
)

// Attributes that every line of a server's log has, the last two when there are such.
const (
	logServer  = "server"
	logRollout = "rollout"
	logTrace   = "trace_id"
)

// Logger returns the logger of a server: lines of text, each with the server's instance, and with the rollout and the trace
// that its context works for. They are exported too where the telemetry of the process has logs.
func Logger(w io.Writer, instance string) *slog.Logger {
	return slog.New(&logHandler{Handler: telemetry.LogHandler(slog.NewTextHandler(w, nil)), server: instance})
}

// logHandler adds what every line has and this one lacks.
type logHandler struct {
	slog.Handler
	server string
	known  []string // attributes that With has given already
}

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	has := func(key string) (found bool) {
		for _, k := range h.known {
			found = found || k == key
		}
		r.Attrs(func(a slog.Attr) bool {
			found = found || a.Key == key
			return !found
		})
		return found
	}
	var more []slog.Attr
	add := func(key, value string) {
		if value != "" && !has(key) {
			more = append(more, slog.String(key, value))
		}
	}
	add(logServer, h.server)
	add(logRollout, wire.RolloutID(ctx))
	if ref := lens.RefFrom(ctx); ref.Valid() {
		add(logTrace, strings.Split(ref.String(), "-")[1])
	}
	if len(more) > 0 {
		r = r.Clone()
		r.AddAttrs(more...)
	}
	return h.Handler.Handle(ctx, r)
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	known := append([]string(nil), h.known...)
	for _, a := range attrs {
		known = append(known, a.Key)
	}
	return &logHandler{Handler: h.Handler.WithAttrs(attrs), server: h.server, known: known}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{Handler: h.Handler.WithGroup(name), server: h.server, known: h.known}
}
