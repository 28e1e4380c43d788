package telemetry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
)

// collector is an OTLP receiver that keeps the resources of the spans, and those of the metrics by their names.
type collector struct {
	*httptest.Server
	mu        sync.Mutex
	resources []map[string]any
	metrics   map[string]map[string]any
}

func newCollector(t *testing.T) *collector {
	c := &collector{metrics: map[string]map[string]any{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/metrics" {
			c.keepMetrics(t, body)
			return
		}
		request := ptraceotlp.NewExportRequest()
		if err := request.UnmarshalProto(body); err != nil {
			t.Error(err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, rs := range request.Traces().ResourceSpans().All() {
			c.resources = append(c.resources, rs.Resource().Attributes().AsRaw())
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) keepMetrics(t *testing.T, body []byte) {
	request := pmetricotlp.NewExportRequest()
	if err := request.UnmarshalProto(body); err != nil {
		t.Error(err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rm := range request.Metrics().ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				c.metrics[m.Name()] = rm.Resource().Attributes().AsRaw()
			}
		}
	}
}

// start calls Setup with these variables, and undoes it after the test.
func start(t *testing.T, id Identity, vars ...string) (*telemetry.Handle, error) {
	t.Helper()
	for k, v := range envOf(vars...) {
		t.Setenv(k, v)
	}
	h, err := Setup(t.Context(), id)
	if h == nil {
		t.Fatalf("no handle; error %v", err)
	}
	if errors.Is(err, telemetry.ErrCompiledOut) {
		t.Skip("needs spans: ", err)
	}
	t.Cleanup(func() {
		_ = h.Shutdown(context.Background())
		lens.SetSpec("")
	})
	return h, err
}

func TestSetup_identity(t *testing.T) {
	model := Identity{Server: "policy_model", Type: "responses_api_models"}
	for _, c := range []struct {
		name string
		id   Identity
		env  []string
		want map[string]any
	}{
		{"a server", model, nil, map[string]any{
			"service.name": "nemo-gym/policy_model", "nemo.gym.service_group": "nemo-gym", "nemo.gym.server.name": "policy_model",
			"nemo.gym.server.type": "responses_api_models", "nemo.gym.version": "(devel)", "nemo.run.id": "run-1",
		}},
		{"the supervisor", Supervisor(), nil, map[string]any{
			"service.name": "nemo-gym/supervisor", "nemo.gym.server.name": "supervisor", "nemo.gym.server.type": "supervisor",
		}},
		{"another base", model, []string{"OTEL_SERVICE_NAME=lab"}, map[string]any{
			"service.name": "lab/policy_model", "nemo.gym.service_group": "lab",
		}},
		{"one name for all", model, []string{"NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER=0"}, map[string]any{
			"service.name": "nemo-gym", "nemo.gym.server.name": "policy_model",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newCollector(t)
			h, err := start(t, c.id, append(c.env, "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_RUN_ID=run-1",
				"OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)...)
			if err != nil || !h.Exporting() {
				t.Fatalf("exporting %v, error %v", h.Exporting(), err)
			}
			_, span := Rollout.Start(t.Context(), semconv.SpanGymRollout)
			span.End()
			if err := h.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(server.resources) != 1 {
				t.Fatalf("%d resources arrived", len(server.resources))
			}
			for k, want := range c.want {
				if got := server.resources[0][k]; got != want {
					t.Errorf("%s: %v, want %v", k, got, want)
				}
			}
		})
	}
}

// Whatever is wrong, the server gets a handle and starts.
func TestSetup_never_keeps_a_server_from_starting(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		says string // empty: no error
	}{
		{"nothing set", nil, ""},
		{"disabled", []string{"NEMO_GYM_OTEL_ENABLED=0"}, ""},
		{"no boolean", []string{"NEMO_GYM_OTEL_ENABLED=maybe"}, "NEMO_GYM_OTEL_ENABLED"},
		{"no boolean elsewhere", []string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_LENS_LOGS_ENABLED=2"}, "LOGS_ENABLED"},
		{"no boolean of Gym's own", []string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER=2"},
			"SERVICE_NAME_PER_SERVER"},
		{"unknown exporter", []string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_EXPORTER=zipkin"}, "zipkin"},
		{"gRPC", []string{"NEMO_GYM_OTEL_ENABLED=1", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "gRPC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := start(t, Identity{Server: "s"}, c.env...)
			if h.Exporting() || (err != nil) != (c.says != "") {
				t.Fatalf("exporting %v, error %v", h.Exporting(), err)
			}
			if c.says != "" {
				contains(t, err.Error(), "telemetry is off", c.says)
			}
			ctx := t.Context()
			if got, span := Rollout.Start(ctx, "x"); got != ctx || span.Recording() {
				t.Error("a span records")
			}
			// The first call decides.
			t.Setenv("NEMO_GYM_OTEL_ENABLED", "1")
			again, err2 := Setup(ctx, Identity{Server: "other"})
			if again != h || (err2 != nil) != (err != nil) {
				t.Errorf("a second call set up again: %v, %v", again != h, err2)
			}
			for range 2 {
				if err := h.Shutdown(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestSetup_race(t *testing.T) {
	const racers = 16
	server := newCollector(t)
	first, err := start(t, Identity{Server: "s"}, "NEMO_GYM_OTEL_ENABLED=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Shutdown(t.Context()) // a new set-up is due

	handles := make([]*telemetry.Handle, racers)
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			h, err := Setup(context.Background(), Identity{Server: "s"})
			if err != nil {
				t.Error(err)
			}
			handles[i] = h
		})
	}
	wg.Wait()
	for _, h := range handles {
		if h != handles[0] || h == first {
			t.Fatal("more than one set-up")
		}
	}
	if telemetry.Current() != handles[0] {
		t.Error("the handle is not that of the process")
	}
	if err := handles[0].Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A program that has set telemetry up by itself keeps its own.
func TestSetup_inside_a_host(t *testing.T) {
	server := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	c := telemetry.Default()
	c.Enabled, c.ServiceName, c.SpanGroups = true, "trainer", "per_rollout"
	host, err := telemetry.Setup(t.Context(), c)
	if errors.Is(err, telemetry.ErrCompiledOut) {
		t.Skip("needs spans: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer host.Shutdown(t.Context())

	h, err := start(t, Identity{Server: "s"}, "NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_SPAN_GROUPS=job")
	if err != nil || !h.Exporting() {
		t.Fatalf("exporting %v, error %v", h.Exporting(), err)
	}
	if !Verify.Enabled() || Job.Enabled() {
		t.Error("Gym's groups do not follow the host's spec")
	}
	_, span := Verify.Start(t.Context(), semconv.SpanGymVerify)
	span.End()
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if host.Closed() || telemetry.Current() != host || !Verify.Enabled() {
		t.Error("the host's telemetry was shut down")
	}
	if len(server.resources) != 1 || server.resources[0]["service.name"] != "trainer" {
		t.Errorf("not flushed into the host's pipeline: %v", server.resources)
	}
}

// TestSetup_metrics: without a setting of its own a server exports its metrics and those of its runtime, under its name.
func TestSetup_metrics(t *testing.T) {
	for name, c := range map[string]struct {
		env  string
		want bool
	}{
		"by default": {"NEMO_GYM_OTEL_SPAN_GROUPS=", true},
		"off":        {"NEMO_GYM_OTEL_METRICS_ENABLED=0", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := newCollector(t)
			h, err := start(t, Identity{Server: "policy_model"}, "NEMO_GYM_OTEL_ENABLED=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, c.env)
			if err != nil {
				t.Fatal(err)
			}
			metrics.Gym.RequestsInFlight(t.Context(), "policy_model", 1)
			if err := h.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"gym.server.requests.in_flight", "go.goroutine.count"} {
				resource := server.metrics[name]
				if (resource != nil) != c.want || c.want && resource["service.name"] != "nemo-gym/policy_model" {
					t.Errorf("%s: resource %v", name, resource)
				}
			}
		})
	}
}

func TestVersion(t *testing.T) {
	if v := Version(); v == "" || strings.ContainsAny(v, " \n") {
		t.Errorf("version %q", v)
	}
}

// FromEnv is what Setup goes by: names and defaults of Gym, and off beside an error.
func TestFromEnv(t *testing.T) {
	for _, kv := range []string{"NEMO_LENS_ENABLED", "NEMO_GYM_OTEL_SPOOL", "NEMO_LENS_SPOOL"} {
		t.Setenv(kv, "")
	}
	t.Setenv("NEMO_GYM_OTEL_ENABLED", "1")
	t.Setenv("OTEL_SERVICE_NAME", "runs")
	c, err := FromEnv(Identity{Server: "agent"})
	if err != nil || !c.Enabled || !c.Spool || c.ServiceName != "runs/agent" {
		t.Errorf("%+v, %v", c, err)
	}
	t.Setenv("NEMO_LENS_SPOOL", "0")
	if c, err = FromEnv(Supervisor()); err != nil || c.Spool {
		t.Errorf("%+v, %v", c, err)
	}
	t.Setenv("NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER", "perhaps")
	if c, err = FromEnv(Supervisor()); err == nil || c.Enabled || !strings.Contains(err.Error(), "NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER") {
		t.Errorf("%+v, %v", c, err)
	}
}
