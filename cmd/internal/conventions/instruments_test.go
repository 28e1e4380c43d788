//go:build !lens_off

package conventions_test

import (
	"context"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/cmd/internal/conventions"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/viewer/ingest"
)

// TestInstruments records every metric that there is, by way of a real set-up, and compares names, instruments, units, descriptions and
// attributes with the table. A metric of the table that nothing records is a mistake, too.
func TestInstruments(t *testing.T) {
	table := table(t)
	found := table.Observe()
	endpoint := receive(t, found)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40)) // go.memory.limit is there when there is one

	c := telemetry.Config{Enabled: true, ServiceName: "instruments", TracesEnabled: true, MetricsEnabled: true, LogsEnabled: true, Exporter: "otlp"}
	h, err := telemetry.Setup(t.Context(), c, telemetry.WithRuntimeMetrics())
	if err != nil {
		t.Fatal(err)
	}
	for _, recorder := range []any{metrics.Gym, metrics.GymDriver{}, metrics.Inference} {
		call(t, recorder, semconv.OutcomeFailed, 500)
		call(t, recorder, semconv.ModelCallOK, 1)
	}
	for _, g := range []metrics.Group{metrics.RL(), metrics.Training()} {
		if err := metrics.Register(g); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = metrics.Unregister(g.Name) }()
		for _, m := range g.Metrics {
			metrics.Record(t.Context(), g.Name, metrics.Values{m.Key: 1})
		}
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	probe(t, c)
	for _, problem := range found.List() {
		t.Error(problem)
	}
	if found.Seen(semconv.SpanDoctor) == 0 {
		t.Errorf("the probe has no span %s", semconv.SpanDoctor)
	}
	for _, name := range table.Names(conventions.MetricName) {
		ofLinux := strings.HasPrefix(name, "system.") || strings.HasPrefix(name, "process.")
		if found.Seen(name) == 0 && (!ofLinux || runtime.GOOS == "linux") {
			t.Errorf("nothing records %s", name)
		}
	}
}

// probe sends what lens doctor sends.
func probe(t *testing.T, c telemetry.Config) {
	t.Helper()
	x, err := telemetry.Explain(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []string{"traces", "metrics", "logs"} {
		if o := x.Probe(t.Context(), signal); o.Err != nil {
			t.Errorf("%s: %v", signal, o.Err)
		}
	}
}

// call calls every method of a recorder. Texts are text, and numbers n.
func call(t *testing.T, recorder any, text string, n int) {
	t.Helper()
	v := reflect.ValueOf(recorder)
	for i := range v.NumMethod() {
		var args []reflect.Value
		for j := range v.Method(i).Type().NumIn() {
			arg := reflect.New(v.Method(i).Type().In(j)).Elem()
			fill(t, arg, text, n)
			args = append(args, arg)
		}
		v.Method(i).Call(args)
	}
	if v.NumMethod() < 2 {
		t.Fatalf("%T has %d methods", recorder, v.NumMethod())
	}
}

func fill(t *testing.T, v reflect.Value, text string, n int) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[context.Context]():
		v.Set(reflect.ValueOf(t.Context()))
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Second))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(int64(n))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), text, n)
		}
	default:
		t.Fatalf("nobody knows how to fill a %v", v.Type())
	}
}

// receive starts a receiver whose requests are compared with the table.
func receive(t *testing.T, found *conventions.Findings) (endpoint string) {
	t.Helper()
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Sink: found})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r.Endpoint()
}
