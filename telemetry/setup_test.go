//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// TestSetup_twice: SH-09.
func TestSetup_twice(t *testing.T) {
	off, on := telemetry.Default(), config()
	for _, c := range []struct {
		name          string
		first, second telemetry.Config
		opts          []telemetry.Option
		close         bool // shut the first down between
		fails         bool
	}{
		{"disabled twice", off, off, nil, false, false},
		{"disabled, then enabled", off, on, nil, false, false},
		{"enabled twice", on, on, nil, false, true},
		{"enabled, then disabled", on, off, nil, false, false},
		{"enabled after a shutdown", on, on, nil, true, false},
		{"enabled with re-init", on, on, []telemetry.Option{telemetry.WithReinit()}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, exported := setup(t, c.first)
			if c.close {
				shutdown(t, first)
			}
			e := &spans{}
			second, err := telemetry.Setup(t.Context(), c.second, append(c.opts, otelopt.WithSpanExporter(e))...)
			if c.fails {
				if !errors.Is(err, telemetry.ErrInitialised) || !strings.Contains(err.Error(), "already been initialised") {
					t.Errorf("error %v", err)
				}
				if telemetry.Current() != first || exported.closed > 0 {
					t.Error("the first set-up was touched")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			cleanup(t, second)
			if second.Exporting() != c.second.Enabled {
				t.Errorf("Exporting %v", second.Exporting())
			}
			if c.second.Enabled {
				_, span := lens.Start(t.Context(), "x")
				span.End()
				shutdown(t, second)
				if !slices.Equal(e.names(), []string{"x"}) {
					t.Errorf("the second set-up exported %v", e.names())
				}
			}
			if len(c.opts) > 0 && (!first.Closed() || exported.closed != 1) {
				t.Error("re-init left the first set-up open")
			}
		})
	}
}

func TestSetup_disabled(t *testing.T) {
	h, exported := setup(t, telemetry.Default())
	if h.Exporting() || telemetry.Current() != nil || h.RunID() == "" {
		t.Errorf("Exporting %v, Current %v, RunID %q", h.Exporting(), telemetry.Current(), h.RunID())
	}
	if s := lens.CurrentState(); !s.Pinned || len(s.Enabled) > 0 {
		t.Errorf("state %+v", s)
	}
	ctx := t.Context()
	got, span := lens.Start(ctx, "x")
	if got != ctx || span.Recording() {
		t.Error("an ungated span records")
	}
	// A library that comes late opens nothing.
	late := lens.NewGroup("late")
	lens.MustRegister(lens.Library{Namespace: "late", Groups: []*lens.Group{late}, Presets: lens.Presets{"default": {"late"}}})
	defer lens.Unregister("late")
	if late.Enabled() {
		t.Error("a late group is on in a disabled process")
	}
	if err := h.ForceFlush(ctx); err != nil {
		t.Error(err)
	}
	shutdown(t, h)
	shutdown(t, h)
	if len(exported.names()) > 0 || h.Stats() != (telemetry.Stats{}) {
		t.Errorf("exported %v, %+v", exported.names(), h.Stats())
	}
}

// A program's own OpenTelemetry goes on when lens is off.
func TestSetup_disabled_leaves_OpenTelemetry_alone(t *testing.T) {
	own, p := sdktrace.NewTracerProvider(), propagation.Baggage{}
	otel.SetTracerProvider(own)
	otel.SetTextMapPropagator(p)
	setup(t, telemetry.Default())
	if otel.GetTracerProvider() != own || otel.GetTextMapPropagator() != p {
		t.Error("a disabled set-up replaced OpenTelemetry's globals")
	}
}

func TestSetup_SDK_disabled(t *testing.T) {
	for text, on := range map[string]bool{"true": false, "TRUE": false, " true ": false, "1": true, "false": true, "": true} {
		t.Run(text, func(t *testing.T) {
			t.Setenv("OTEL_SDK_DISABLED", text)
			h, _ := setup(t, config())
			if h.Exporting() != on {
				t.Errorf("Exporting %v, want %v", h.Exporting(), on)
			}
		})
	}
}

func TestSetup_enabled(t *testing.T) {
	c := config()
	c.SpanGroups = "default"
	h, exported := setup(t, c)
	if !h.Exporting() || telemetry.Current() != h {
		t.Errorf("Exporting %v, Current %v", h.Exporting(), telemetry.Current())
	}
	if !job.Enabled() || step.Enabled() {
		t.Errorf("under default: job %v, step %v", job.Enabled(), step.Enabled())
	}
	ctx, span := job.Start(t.Context(), "ours")
	_, theirs := otel.Tracer("theirs").Start(ctx, "theirs")
	theirs.End()
	span.End()
	shutdown(t, h)
	ours, other := exported.byName(t, "ours"), exported.byName(t, "theirs")
	if other.Parent().SpanID() != ours.SpanContext().SpanID() {
		t.Error("the span of another instrumentation is not in our trace")
	}
	if s := h.Stats(); s != (telemetry.Stats{Ended: 2, Exported: 2}) {
		t.Errorf("Stats %+v", s)
	}
	// Afterwards nothing records, and nothing is lost silently in a provider that is closed.
	if telemetry.Current() != nil || job.Enabled() {
		t.Error("still on after the shutdown")
	}
	ctx = t.Context()
	if got, span := lens.Start(ctx, "late"); got != ctx || span.Recording() {
		t.Error("a span records after the shutdown")
	}
	if _, span := otel.Tracer("theirs").Start(ctx, "late"); span.IsRecording() {
		t.Error("OpenTelemetry records after the shutdown")
	}
}

func TestSetup_never_fails_for_a_spec(t *testing.T) {
	for _, spec := range []string{"", " , ", "typo", "default,typo", "-job", "all,-", "a=b@c:*", "\x00"} {
		c := config()
		c.SpanGroups = spec
		h, _ := setup(t, c)
		if !h.Exporting() {
			t.Errorf("%q: not exporting", spec)
		}
		shutdown(t, h)
	}
}

func TestSetup_errors_say_what_would_be_right(t *testing.T) {
	for _, c := range []struct {
		exporter string
		env      []string
		says     []string
	}{
		{"zipkin", nil, []string{"unknown exporter", "zipkin", "otlp", "console"}},
		{"otlp", []string{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, []string{"gRPC", "not in this program", "http/protobuf"}},
		{"", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317"}, []string{"4317", "gRPC", "4318"}},
		{"otlp", []string{"OTEL_EXPORTER_OTLP_PROTOCOL=smoke"}, []string{"smoke", "http/protobuf"}},
	} {
		t.Run(c.exporter+strings.Join(c.env, " "), func(t *testing.T) {
			setenv(t, c.env...)
			conf := config()
			conf.Exporter = c.exporter
			before := lens.CurrentState()
			h, err := telemetry.Setup(t.Context(), conf)
			if err == nil {
				cleanup(t, h)
				t.Fatal("no error")
			}
			contains(t, err.Error(), append(c.says, "cannot set telemetry up")...)
			if telemetry.Current() != nil || lens.CurrentState().Generation != before.Generation {
				t.Error("a set-up that failed changed the process")
			}
		})
	}
}

func TestSetup_failed_reinit_leaves_the_first(t *testing.T) {
	h, _ := setup(t, config())
	c := config()
	c.Exporter = "zipkin"
	if _, err := telemetry.Setup(t.Context(), c, telemetry.WithReinit()); err == nil {
		t.Fatal("no error")
	}
	if h.Closed() || telemetry.Current() != h {
		t.Error("the first set-up is gone")
	}
}

func TestSetup_traces_off(t *testing.T) {
	before := otel.GetTracerProvider()
	c := config()
	c.TracesEnabled = false
	c.Exporter = "zipkin" // not looked at
	h, exported := setup(t, c)
	_, span := job.Start(t.Context(), "x")
	if span.Recording() || h.Exporting() || otel.GetTracerProvider() != before {
		t.Errorf("recording %v, exporting %v", span.Recording(), h.Exporting())
	}
	span.End()
	shutdown(t, h)
	if len(exported.names()) > 0 {
		t.Errorf("exported %v", exported.names())
	}
}

func TestSetup_race(t *testing.T) {
	const racers = 16
	var wg sync.WaitGroup
	handles := make([]*telemetry.Handle, racers)
	for i := range racers {
		wg.Go(func() {
			h, err := telemetry.Setup(context.Background(), config(),
				otelopt.WithSpanExporter(&spans{}), telemetry.WithLogger(quiet))
			if err != nil && !errors.Is(err, telemetry.ErrInitialised) {
				t.Error(err)
			}
			handles[i] = h
		})
	}
	wg.Wait()
	var won []*telemetry.Handle
	for _, h := range handles {
		if h != nil {
			won = append(won, h)
			cleanup(t, h)
		}
	}
	if len(won) != 1 {
		t.Errorf("%d of %d set-ups succeeded", len(won), racers)
	}
}

func TestSetup_nil_arguments(t *testing.T) {
	var none context.Context
	h, err := telemetry.Setup(none, config(), nil, otelopt.WithSpanExporter(&spans{}), otelopt.WithSpanProcessor(nil),
		otelopt.WithSampler(nil), telemetry.WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	cleanup(t, h)
	if err := errors.Join(h.ForceFlush(none), h.Shutdown(none)); err != nil {
		t.Error(err)
	}
}

func TestSetup_propagators(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"
	for _, c := range []struct {
		text     string
		fields   []string
		warnings []string
	}{
		{"", []string{"baggage", "traceparent", "tracestate"}, nil},
		{"tracecontext", []string{"traceparent", "tracestate"}, nil},
		{" Baggage , tracecontext,baggage", []string{"baggage", "traceparent", "tracestate"}, nil},
		{"none", nil, nil},
		{"b3", []string{"baggage", "traceparent", "tracestate"}, []string{"b3", "tracecontext", "baggage", "none"}},
		{"tracecontext,jaeger", []string{"traceparent", "tracestate"}, []string{"jaeger"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Setenv("OTEL_PROPAGATORS", c.text)
			var log bytes.Buffer
			setup(t, config(), telemetry.WithLogger(textLogger(&log)))
			fields := otel.GetTextMapPropagator().Fields()
			slices.Sort(fields)
			if !slices.Equal(fields, c.fields) {
				t.Errorf("fields %v, want %v", fields, c.fields)
			}
			contains(t, log.String(), c.warnings...)
			if len(c.warnings) == 0 && log.Len() > 0 {
				t.Errorf("a warning for nothing: %s", &log)
			}
			// Package lens speaks the same.
			ref, err := lens.ParseRef(parent, "")
			if err != nil {
				t.Fatal(err)
			}
			ctx, err := lens.WithBaggage(lens.WithParent(t.Context(), ref), "k", "v")
			if err != nil {
				t.Fatal(err)
			}
			out := lens.Map{}
			lens.Inject(ctx, out)
			_, hasParent := out["traceparent"]
			_, hasBaggage := out["baggage"]
			if hasParent != slices.Contains(c.fields, "traceparent") || hasBaggage != slices.Contains(c.fields, "baggage") {
				t.Errorf("lens.Inject wrote %v", out)
			}
		})
	}
}

func TestSetup_sampler(t *testing.T) {
	for _, c := range []struct {
		name, env string
		opts      []telemetry.Option
		want      bool
	}{
		{"by default all", "", nil, true},
		{"by the environment", "always_off", nil, false},
		{"by option", "always_off", []telemetry.Option{otelopt.WithSampler(sdktrace.AlwaysSample())}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", c.env)
			setup(t, config(), c.opts...)
			_, span := job.Start(t.Context(), "x")
			if span.Recording() != c.want {
				t.Errorf("recording %v, want %v", span.Recording(), c.want)
			}
			span.End()
		})
	}
}

func TestConfig_ResolvedSpanGroups(t *testing.T) {
	for spec, want := range map[string][]string{"default": {"job"}, "all": {"job", "step"}, "typo": nil, "": nil} {
		got := telemetry.Config{SpanGroups: spec}.ResolvedSpanGroups()
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", spec, got, want)
		}
	}
}
