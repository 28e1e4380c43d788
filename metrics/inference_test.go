//go:build !lens_off

package metrics_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lensgo/lens/metrics"
)

// TestInference holds the names, units and attributes against the table of the Python library, and every value against its series.
func TestInference(t *testing.T) {
	m := newMeter(t)
	ctx := context.Background()
	metrics.Inference.Served(ctx, "nvidia/Llama-3.1 8B", 1500*time.Millisecond)
	metrics.Inference.Served(ctx, "", time.Second)
	metrics.Inference.Used(ctx, "nvidia/Llama-3.1 8B", 12, 3)
	metrics.Inference.Used(ctx, "", -1, 0)
	got := m.collect(t)
	const base, model = "gen_ai.operation.name=text_completion,gen_ai.provider.name=nemo", ",gen_ai.request.model=nvidia/Llama-3.1 8B"
	for name, want := range map[string]struct {
		unit   string
		first  float64
		series map[string]float64
	}{
		"gen_ai.server.request.duration": {"s", 0.01, map[string]float64{base + model: 1.5, base: 1}},
		"gen_ai.client.token.usage": {"{token}", 1, map[string]float64{
			base + model + ",gen_ai.token.type=input": 12, base + model + ",gen_ai.token.type=output": 3, base + ",gen_ai.token.type=output": 0}},
	} {
		f := got[name]
		if f.kind != "histogram" || f.unit != want.unit || len(f.points) != len(want.series) || f.scope != "github.com/lensgo/lens" {
			t.Fatalf("%s: %+v", name, f)
		}
		for attributes, v := range want.series {
			if sum, ok := f.value(attributes); !ok || sum != v {
				t.Errorf("%s{%s}: %v, %v; want %v", name, attributes, sum, ok, v)
			}
		}
		if b := f.points[0].bounds; len(b) != 14 || b[0] != want.first || !slices.IsSorted(b) {
			t.Errorf("%s has the bounds %v", name, b)
		}
	}
	if len(got) != 2 {
		t.Errorf("recorded %d metrics", len(got))
	}
}

// TestInference_models: models that requests make up do not make series without end.
func TestInference_models(t *testing.T) {
	m := newMeter(t)
	for i := range 300 {
		metrics.Inference.Served(context.Background(), fmt.Sprint("made/up ", i), time.Second)
	}
	if n := len(m.collect(t)["gen_ai.server.request.duration"].points); n > 101 {
		t.Errorf("%d series of 300 models", n)
	}
}
