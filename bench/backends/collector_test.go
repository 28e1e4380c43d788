package backends_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/nopexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/memorylimiterprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// factories are what the configurations name, all of the core distribution.
func factories() (otelcol.Factories, error) {
	f := otelcol.Factories{Telemetry: otelconftelemetry.NewFactory()}
	var err error
	if f.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory()); err != nil {
		return f, err
	}
	if f.Processors, err = otelcol.MakeFactoryMap[processor.Factory](memorylimiterprocessor.NewFactory()); err != nil {
		return f, err
	}
	f.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](otlphttpexporter.NewFactory(), nopexporter.NewFactory())
	return f, err
}

// collector is a real one, in this process.
type collector struct {
	url  string
	stop func() // waits until everything is sent
}

// newCollector runs a configuration. What it changes are the endpoints of exporters, which stand hands over to somebody on this
// machine, and its ports.
func newCollector(t *testing.T, file string, stand func(endpoint string) string, trust func() string) *collector {
	t.Helper()
	for try := 0; ; try++ { // a port that was free may be taken by now
		c, err := tryCollector(t, file, stand, trust)
		switch {
		case err == nil:
			return c
		case try == 5 || !strings.Contains(err.Error(), "address already in use"):
			t.Fatalf("the Collector does not take %s: %v", file, err)
		}
	}
}

func tryCollector(t *testing.T, file string, stand func(endpoint string) string, trust func() string) (*collector, error) {
	http, grpc := freePort(t), freePort(t)
	c, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Description: "of a test"},
		Factories: factories, DisableGracefulShutdown: true, SkipSettingGRPCLogger: true,
		LoggingOptions: []zap.Option{zap.WrapCore(func(zapcore.Core) zapcore.Core { return zapcore.NewNopCore() })},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs:              []string{"file:" + file, "yaml:" + overlay(t, file, http, grpc, stand, trust)},
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory(), yamlprovider.NewFactory(), envprovider.NewFactory()},
			DefaultScheme:     "env",
		}},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	for c.GetState() != otelcol.StateRunning {
		select {
		case err := <-ended:
			cancel()
			return nil, err
		case <-time.After(time.Millisecond):
		}
	}
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the Collector ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return &collector{url: "http://" + http, stop: stop}, nil
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// overlay is what a test changes of a configuration, as YAML.
func overlay(t *testing.T, file, http, grpc string, stand func(string) string, trust func() string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Exporters map[string]map[string]any
	}
	if err := yaml.Unmarshal([]byte(os.Expand(string(text), variable)), &c); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	exporters := map[string]any{}
	for name, settings := range c.Exporters {
		changed := map[string]any{}
		for key, value := range settings {
			if endpoint, ok := value.(string); ok && strings.HasSuffix(key, "endpoint") {
				changed[key] = stand(endpoint)
			}
		}
		if settings != nil {
			exporters[name] = changed
		}
	}
	if file := trust(); file != "" {
		for _, changed := range exporters {
			changed.(map[string]any)["tls"] = map[string]any{"ca_file": file}
		}
	}
	changes, err := json.Marshal(map[string]any{
		"exporters": exporters,
		"receivers": map[string]any{"otlp": map[string]any{"protocols": map[string]any{
			"http": map[string]any{"endpoint": http}, "grpc": map[string]any{"endpoint": grpc}}}},
		"service": map[string]any{"telemetry": map[string]any{"metrics": map[string]any{"level": "none"}}}, // its own want a port
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(changes)
}

// variable is what a Collector puts in the place of ${env:NAME:-default}, which os.Expand hands over without the braces.
func variable(name string) string {
	name, standard, _ := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	if value := os.Getenv(name); value != "" {
		return value
	}
	return standard
}

// routes are the requests that follow from the configurations for one span, one metric and one log record.
var routes = map[string]map[string]wanted{
	"local.yaml": {
		"traces":  {url: "http://tempo:4318/v1/traces", gzip: true},
		"metrics": {url: "http://prometheus:9090/api/v1/otlp/v1/metrics", gzip: true},
		"logs":    {url: "http://loki:3100/otlp/v1/logs", gzip: true},
	},
	"jaeger.yaml":    {"traces": {url: "http://127.0.0.1:14318/v1/traces", gzip: true}},
	"honeycomb.yaml": settings["Honeycomb"][0],
	"weave.yaml":     settings["W&B Weave"][0],
	"datadog.yaml":   settings["Without an Agent"][0],
}

// TestCollector runs each configuration in a real Collector: what a program sends comes where the backend takes it, as the backend
// takes it.
func TestCollector(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(deploy, "collector", "*.yaml"))
	if err != nil || len(files) != len(routes) {
		t.Fatalf("there are %q (%v), and %d are known here", files, err, len(routes))
	}
	for _, v := range keys {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			if routes[name] == nil {
				t.Fatal("nothing here knows what follows from it")
			}
			want := maps.Clone(routes[name])
			environment := []string{"NEMO_LENS_ENABLED=1", "NEMO_LENS_LOGS_ENABLED=1", "WANDB_ENTITY=my-team", "WANDB_PROJECT=gym"}
			if want["metrics"].deltas { // it is said in the configuration that programs have to
				environment = append(environment, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta")
			}
			b := newBackends(t, want)
			c := newCollector(t, file, b.stand, b.trust)
			runProgram(t, "one of each", append(environment, fmt.Sprintf("OTEL_EXPORTER_OTLP_ENDPOINT=%s", c.url)))
			c.stop()
			b.all()
		})
	}
}
