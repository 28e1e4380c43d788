//go:build !lens_off

package prometheus_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/telemetry"
)

func TestMain(m *testing.M) {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "OTEL_") || strings.HasPrefix(name, "NEMO_") {
			os.Unsetenv(name)
		}
	}
	group := lens.NewGroup("work")
	lens.MustRegister(lens.Library{Namespace: "demo", Groups: []*lens.Group{group}, Presets: lens.Presets{"default": {"work"}}})
	metrics.MustRegister(metrics.Group{Name: "demo", Metrics: []metrics.Metric{
		{Key: "step", Name: "demo.step.duration", Kind: metrics.Histogram, Unit: "s", Bounds: []float64{1, 10}},
		{Key: "tokens", Name: "demo.tokens_total", Kind: metrics.Counter},
		{Key: "loss", Name: "demo.loss"},
	}})
	goleak.VerifyTestMain(m)
}

// said is what a set-up logs. It may be read while that goes on.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start sets telemetry up with variables of the form KEY=value. Spans go nowhere.
func start(t *testing.T, env []string, opts ...telemetry.Option) (*telemetry.Handle, *said) {
	t.Helper()
	t.Setenv("OTEL_TRACES_EXPORTER", "console")
	devNull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = devNull
	t.Cleanup(func() { os.Stdout = stdout; _ = devNull.Close() })
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		t.Fatal(err)
	}
	c.Enabled = true
	var log said
	h, err := telemetry.Setup(t.Context(), c, append(opts, telemetry.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutdown(t, h) })
	return h, &log
}

func shutdown(t *testing.T, h *telemetry.Handle) {
	t.Helper()
	if err := h.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
		t.Error(err)
	}
}

const (
	plain       = "text/plain"
	openMetrics = "application/openmetrics-text;version=1.0.0"
)

// scrape fetches from a set-up, as Prometheus does.
func scrape(t *testing.T, h *telemetry.Handle, accept string) string {
	t.Helper()
	if h.PrometheusAddr() == "" {
		t.Fatal("nothing listens")
	}
	status, text := get(t, "http://"+h.PrometheusAddr()+"/metrics", accept)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	return text
}

func get(t *testing.T, url, accept string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// serve asks a handler.
func serve(h http.Handler) (status int, text string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Code, w.Body.String()
}

// contains fails the test for each part that text lacks.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in: %s", p, text)
		}
	}
}
