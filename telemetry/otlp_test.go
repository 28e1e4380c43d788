//go:build !lens_off

package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
)

// TestEndToEnd: from the variables of a process to the spans in a collector.
func TestEndToEnd(t *testing.T) {
	var mu sync.Mutex
	var got []*tracepb.ResourceSpans
	var headers []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/metrics" {
			return // TestMetrics looks at those
		}
		body, err := io.ReadAll(r.Body)
		request := &coltracepb.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, request.ResourceSpans...)
		headers = append(headers, r.Header)
	}))
	defer server.Close()
	setenv(t, "APP_OTEL_ENABLED=1", "APP_OTEL_SPAN_GROUPS=per_step", "NEMO_LENS_RUN_ID=run-7",
		"OTEL_SERVICE_NAME=app", "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=k%3D1",
		"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=2")

	c, err := telemetry.FromEnv("APP_OTEL", "NEMO_LENS")
	if err != nil {
		t.Fatal(err)
	}
	h, err := telemetry.Setup(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	ctx, root := job.Start(t.Context(), "root")
	for range 4 {
		_, span := step.StartKind(ctx, "child", lens.Client)
		span.Int("turn", 1).End()
	}
	root.End()
	shutdown(t, h)
	if s := h.Stats(); s != (telemetry.Stats{Ended: 5, Exported: 5}) {
		t.Errorf("Stats %+v", s)
	}

	if len(headers) < 3 || headers[0].Get("Api-Key") != "k=1" {
		t.Errorf("%d requests, headers %v", len(headers), headers)
	}
	var names, groups []string
	for _, rs := range got {
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				names = append(names, s.Name)
				if s.Flags&0xff != 3 || s.Name == "child" && s.Kind != tracepb.Span_SPAN_KIND_CLIENT {
					t.Errorf("%s: flags %x, kind %v", s.Name, s.Flags, s.Kind)
				}
				if len(s.ParentSpanId) > 0 != (s.Name == "child") {
					t.Errorf("%s: parent %x", s.Name, s.ParentSpanId)
				}
			}
			for _, kv := range ss.Scope.Attributes {
				if kv.Key == semconv.LensGroup {
					groups = append(groups, kv.Value.GetStringValue())
				}
			}
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"child", "child", "child", "child", "root"}) {
		t.Errorf("spans %v", names)
	}
	if !slices.Contains(groups, "job") || !slices.Contains(groups, "step") {
		t.Errorf("groups of the scopes: %v", groups)
	}
	resource := map[string]string{}
	for _, kv := range got[0].Resource.Attributes {
		resource[kv.Key] = kv.Value.GetStringValue()
	}
	if resource[semconv.ServiceName] != "app" || resource[semconv.NemoRunID] != "run-7" {
		t.Errorf("resource %v", resource)
	}
}

// TestDeadCollector: SH-01. A collector that refuses, and one that takes the call and never answers, cost no more than the
// caller's budget, and nothing is left running.
func TestDeadCollector(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		name, endpoint string
		budget         time.Duration
		want           error
	}{
		{"refuses", "http://127.0.0.1:1", time.Minute, syscall.ECONNREFUSED}, // at once, or a busy machine would not hear of it in time
		{"is silent", "http://" + silent.Addr().String(), 50 * time.Millisecond, context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.endpoint)
			h, err := telemetry.Setup(t.Context(), config(), telemetry.WithLogger(quiet))
			if err != nil {
				t.Fatal(err)
			}
			cleanup(t, h)
			_, span := lens.Start(t.Context(), "x")
			span.End()
			ctx, cancel := context.WithTimeout(t.Context(), c.budget)
			defer cancel()
			if err := h.Shutdown(ctx); err == nil || runtime.GOOS == "linux" && !errors.Is(err, c.want) {
				t.Errorf("Shutdown: %v", err)
			}
			if s := h.Stats(); s.Ended != 1 || s.Exported != 0 {
				t.Errorf("Stats %+v", s)
			}
		})
	}
}
