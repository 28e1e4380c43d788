//go:build lens_off

package prometheus_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/export/prometheus"
)

func TestHandler_off(t *testing.T) {
	page := prometheus.NewHandler()
	h, err := telemetry.Setup(t.Context(), telemetry.Config{}, page.Option())
	if err != nil || h.PrometheusAddr() != "" {
		t.Errorf("%v, %s", err, h.PrometheusAddr())
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d", w.Code)
	}
}
