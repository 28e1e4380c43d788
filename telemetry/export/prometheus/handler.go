package prometheus

import (
	"net/http"

	"github.com/lensgo/lens/telemetry"
)

// Handler serves metrics on the mux of a program, which then has no port of its own for them, whatever the environment says:
//
//	page := prometheus.NewHandler()
//	h, err := telemetry.Setup(ctx, c, page.Option())
//	mux.Handle("GET /metrics", page)
//
// Other exporters are as they were.
type Handler struct{ binding }

var _ http.Handler = (*Handler)(nil)

// NewHandler returns a handler. One set-up at a time may have it.
func NewHandler() *Handler { return &Handler{} }

// Option makes a set-up serve its metrics by the handler.
func (h *Handler) Option() telemetry.Option { return h.option() }

// ServeHTTP answers with the metrics as they are now; 503 without a set-up, and after its shutdown.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := h.page()
	if page == nil {
		http.Error(w, "telemetry is not set up, or has been shut down", http.StatusServiceUnavailable)
		return
	}
	page.ServeHTTP(w, r)
}
