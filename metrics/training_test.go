//go:build !lens_off

package metrics_test

import (
	"context"
	"testing"

	"github.com/lensgo/lens/metrics"
)

// declared is what the Python trainers have: key, name, kind and unit.
type declared struct{ key, name, kind, unit string }

// TestTraining and TestRL hold each name, kind and unit against the trainers' tables, and each value against its metric, so that no
// two are mixed up.
func TestTraining(t *testing.T) {
	compare(t, metrics.Training(), []declared{
		{"step_duration_ms", "megatron.training.step_duration_ms", "histogram", "ms"},
		{"loss", "megatron.training.loss", "gauge", ""},
		{"throughput_tflops", "megatron.training.throughput_tflops", "gauge", ""},
		{"grad_norm", "megatron.training.grad_norm", "gauge", ""},
		{"learning_rate", "megatron.training.learning_rate", "gauge", ""},
		{"tokens_per_sec", "megatron.training.tokens_per_sec", "gauge", ""},
		{"memory_allocated_gb", "megatron.training.memory_allocated_gb", "gauge", ""},
		{"skipped_iters", "megatron.training.skipped_iters", "counter", ""},
	})
}

func TestRL(t *testing.T) {
	compare(t, metrics.RL(), []declared{
		{"reward_mean", "rl.reward.mean", "gauge", ""},
		{"kl_divergence", "rl.kl.divergence", "gauge", ""},
		{"policy_loss", "rl.policy.loss", "gauge", ""},
		{"value_loss", "rl.value.loss", "gauge", ""},
		{"entropy", "rl.entropy", "gauge", ""},
		{"response_length_mean", "rl.response.length.mean", "gauge", "{token}"},
		{"grad_norm", "rl.grad_norm", "gauge", ""},
		{"learning_rate", "rl.learning_rate", "gauge", ""},
		{"efficiency_seconds", "rl.efficiency.seconds", "gauge", "s"},
		{"efficiency_pct", "rl.efficiency.pct", "gauge", "%"},
		{"setup_duration", "rl.setup.duration", "gauge", "s"},
		{"vllm_prompt_tokens", "rl.vllm.prompt_tokens", "counter", "{token}"},
		{"vllm_generation_tokens", "rl.vllm.generation_tokens", "counter", "{token}"},
		{"vllm_prompt_length_mean", "rl.vllm.prompt_length.mean", "gauge", "{token}"},
		{"vllm_generation_length_mean", "rl.vllm.generation_length.mean", "gauge", "{token}"},
		{"vllm_generations_ok", "rl.vllm.generations.ok", "counter", "{generation}"},
		{"vllm_generations_failed", "rl.vllm.generations.failed", "counter", "{generation}"},
	})
}

func compare(t *testing.T, g metrics.Group, want []declared) {
	t.Helper()
	m, d := newMeter(t), newDiary(t)
	registered(t, g)
	values := metrics.Values{}
	for i, w := range want {
		values[w.key] = float64(i + 1)
	}
	metrics.Record(context.Background(), g.Name, values)
	got := m.collect(t)
	for i, w := range want {
		f := got[w.name]
		if v, ok := f.value(""); !ok || v != float64(i+1) || f.kind != w.kind || f.unit != w.unit || f.scope != g.Name || f.about == "" {
			t.Errorf("%s: %+v, want a %s in %q with %d", w.name, f, w.kind, w.unit, i+1)
		}
	}
	if len(g.Metrics) != len(want) || len(got) != len(want) || d.lines() != 0 {
		t.Errorf("%d metrics are declared and %d recorded, said %q", len(g.Metrics), len(got), d)
	}
}
