//go:build !lens_off

package telemetry_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// The test that the Python page for library authors shows: the library registers, a whole set-up reads the spec.
func TestLenstest_new_group_in_per_step(t *testing.T) {
	lenstest.Default(t)
	group := lens.NewGroup("my_new_group")
	lens.MustRegister(lens.Library{
		Namespace: "mylib",
		Groups:    []*lens.Group{group},
		Presets:   lens.Presets{"per_step": {"my_new_group"}},
	})
	h, err := telemetry.Setup(t.Context(), telemetry.Config{
		Enabled: true, TracesEnabled: true, SpanGroups: "per_step", Exporter: telemetry.ExporterConsole,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Shutdown(context.Background()) }()
	if !group.Enabled() || !step.Enabled() {
		t.Errorf("on are %q", lens.CurrentState().Enabled)
	}
}

// Spans of a whole set-up are recorded through the processor, with what the set-up adds, and the set-up leaves no trace in
// the registry.
func TestLenstest_records_a_setup(t *testing.T) {
	before := lens.CurrentState()
	t.Run("inner", func(t *testing.T) {
		rec := lenstest.Default(t)
		h, err := telemetry.Setup(t.Context(),
			telemetry.Config{Enabled: true, TracesEnabled: true, ServiceName: "tested", SpanGroups: "per_step"},
			otelopt.WithSpanProcessor(rec.Processor()), otelopt.WithSpanExporter(tracetest.NewNoopExporter()))
		if err != nil {
			t.Fatal(err)
		}
		ctx, outer := job.Start(t.Context(), "job")
		_, inner := step.Start(ctx, "step")
		inner.End() // the outer one is ended by the shutdown
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		rec.AssertTree(t, `
			job nemo.span.truncated=true
			  step
		`, "nemo.span.truncated")
		if name := rec.One(t, "job").Resource["service.name"]; name != "tested" {
			t.Errorf("service.name is %v", name)
		}
		if outer.Recording() {
			t.Error("the span is open")
		}
	})
	after := lens.CurrentState()
	if after.Spec != before.Spec || after.Pinned != before.Pinned || len(after.Groups) != len(before.Groups) {
		t.Errorf("the registry is left as %+v, and was %+v", after, before)
	}
}
