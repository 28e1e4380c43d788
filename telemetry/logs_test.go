//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/lensslog"
)

// logCollector takes logs, or refuses them.
type logCollector struct {
	mu      sync.Mutex
	refuse  bool
	records []*logspb.LogRecord
	service string
}

func newLogCollector(t *testing.T) *logCollector {
	t.Helper()
	c := &logCollector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return c
}

func (c *logCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path != "/v1/logs" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var request collogspb.ExportLogsServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, rl := range request.ResourceLogs {
		for _, kv := range rl.Resource.Attributes {
			if kv.Key == "service.name" {
				c.service = kv.Value.GetStringValue()
			}
		}
		for _, sl := range rl.ScopeLogs {
			c.records = append(c.records, sl.LogRecords...)
		}
	}
}

func (c *logCollector) bodies() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.records {
		all = append(all, r.Body.GetStringValue())
	}
	return all
}

// withLogs is a configuration that exports logs too.
func withLogs() telemetry.Config {
	c := config()
	c.LogsEnabled = true
	return c
}

// A record of slog goes to its handler, and to the collector with the span that it was logged in.
func TestLogs(t *testing.T) {
	c := newLogCollector(t)
	var out bytes.Buffer
	log := slog.New(lensslog.NewExporter(slog.NewTextHandler(&out, nil), nil))
	log.Info("before the set-up")
	h := start(t, withLogs())
	ctx, span := lens.Start(t.Context(), "work")
	trace := span.Ref().TraceID
	log.With("run", 7).WithGroup("g").InfoContext(ctx, "in\xffside", "k", "v\xff")
	log.DebugContext(ctx, "below the level")
	log.Warn("without a span")
	span.End()
	shutdown(t, h)
	log.Info("after the shutdown")

	if got := c.bodies(); len(got) != 2 || got[0] != "in\ufffdside" || got[1] != "without a span" {
		t.Fatalf("arrived: %q", got)
	}
	r := c.records[0]
	if string(r.TraceId) != string(trace[:]) || len(r.SpanId) != 8 || r.SeverityNumber != logspb.SeverityNumber_SEVERITY_NUMBER_INFO {
		t.Errorf("the record is %v", r)
	}
	if text := r.String(); !strings.Contains(text, `"run"`) || !strings.Contains(text, "v\ufffd") {
		t.Errorf("attributes: %s", text)
	}
	if len(c.records[1].TraceId) != 0 || c.records[1].SeverityNumber != logspb.SeverityNumber_SEVERITY_NUMBER_WARN || c.service == "" {
		t.Errorf("the second is %v of %q", c.records[1], c.service)
	}
	for _, text := range []string{"before the set-up", "without a span", "after the shutdown"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the handler beside it has not got %q", text)
		}
	}
	if strings.Contains(out.String(), "below the level") {
		t.Error("the level of the handler beside it is not its own")
	}
}

// Wrapping twice exports once, and a handler outlives set-ups.
func TestLogs_twice(t *testing.T) {
	c := newLogCollector(t)
	log := slog.New(lensslog.NewExporter(lensslog.NewExporter(nil, slog.LevelDebug), nil))
	for range 2 {
		h := start(t, withLogs())
		log.Debug("once")
		shutdown(t, h)
	}
	if got := c.bodies(); len(got) != 2 {
		t.Errorf("arrived: %q", got)
	}
}

// What telemetry logs when it cannot export logs is not exported: it would go round for ever.
func TestLogs_loop(t *testing.T) {
	c := newLogCollector(t)
	c.refuse = true
	var out bytes.Buffer
	exported := slog.New(lensslog.NewExporter(slog.NewTextHandler(&out, nil), slog.LevelDebug))
	before := slog.Default()
	slog.SetDefault(exported)
	t.Cleanup(func() { slog.SetDefault(before) })
	h, err := telemetry.Setup(t.Context(), withLogs())
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	slog.Info("mine")
	if err := h.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.refuse = false
	c.mu.Unlock()
	_ = h.Shutdown(t.Context()) // the one that was refused is its error
	if !strings.Contains(out.String(), "cannot export logs") {
		t.Errorf("the refusal is not said:\n%s", out.String())
	}
	if got := c.bodies(); len(got) != 0 {
		t.Errorf("telemetry exported its own: %q", got)
	}
}

// The last logs that are lost are the error of Shutdown.
func TestLogs_lost(t *testing.T) {
	c := newLogCollector(t)
	c.refuse = true
	h := start(t, withLogs())
	slog.New(lensslog.NewExporter(nil, nil)).Info("mine")
	if err := h.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("Shutdown: %v", err)
	}
}

func TestLogs_off(t *testing.T) {
	c := newLogCollector(t)
	h := start(t, config())
	log := slog.New(lensslog.NewExporter(nil, nil))
	log.Error("nobody asked for it")
	if log.Enabled(t.Context(), slog.LevelError) {
		t.Error("a handler that nobody reads is enabled")
	}
	shutdown(t, h)
	if got := c.bodies(); len(got) > 0 {
		t.Errorf("arrived: %q", got)
	}
}
