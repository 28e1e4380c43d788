package metrics

import "github.com/lensgo/lens/semconv"

// Training declares the metrics that Megatron has for a training step, as a group that nobody has registered yet. The key of a
// metric is what stands behind "megatron.training." in its name. Record skipped_iters only when there are any.
func Training() Group {
	return Group{Name: "megatron.training", Metrics: []Metric{
		{Key: "step_duration_ms", Name: semconv.MetricTrainingStepDuration, Kind: Histogram, Unit: "ms",
			Description: "How long a training step took.",
			Bounds:      []float64{10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 120000, 300000, 600000}},
		{Key: "loss", Name: semconv.MetricTrainingLoss, Description: "Loss of the training."},
		{Key: "throughput_tflops", Name: semconv.MetricTrainingThroughput, Description: "Teraflops a second, for each GPU."},
		{Key: "grad_norm", Name: semconv.MetricTrainingGradNorm, Description: "Norm of the gradient."},
		{Key: "learning_rate", Name: semconv.MetricTrainingLearningRate, Description: "Learning rate of the optimizer."},
		{Key: "tokens_per_sec", Name: semconv.MetricTrainingTokensPerSec, Description: "Tokens a second."},
		{Key: "memory_allocated_gb", Name: semconv.MetricTrainingMemory, Description: "The most memory that was allocated on a GPU, in gigabytes."},
		{Key: "skipped_iters", Name: semconv.MetricTrainingSkipped, Kind: Counter, Description: "Iterations that were skipped."},
	}}
}

// RL declares the metrics that NeMo-RL has, as a group that nobody has registered yet, by the keys that it gives them. A trainer
// appends its own, or leaves out what it has not:
//
//	metrics.MustRegister(metrics.RL())
//	metrics.Record(ctx, "rl", metrics.Values{"reward_mean": 0.85, "kl_divergence": 0.02})
//
// The attributes are in package semconv: rl.setup.phase for setup_duration, rl.efficiency.* and rl.bucket for the two of
// efficiency. The vllm_ counters take what is new since the step before.
func RL() Group {
	return Group{Name: "rl", Metrics: []Metric{
		{Key: "reward_mean", Name: semconv.MetricRLReward, Description: "Mean reward of the rollouts."},
		{Key: "kl_divergence", Name: semconv.MetricRLKL, Description: "KL divergence from the reference policy."},
		{Key: "policy_loss", Name: semconv.MetricRLPolicyLoss, Description: "Loss of the policy."},
		{Key: "value_loss", Name: semconv.MetricRLValueLoss, Description: "Loss of the value function."},
		{Key: "entropy", Name: semconv.MetricRLEntropy, Description: "Entropy of the policy."},
		{Key: "response_length_mean", Name: semconv.MetricRLResponseLength, Unit: "{token}", Description: "Mean length of a response."},
		{Key: "grad_norm", Name: semconv.MetricRLGradNorm, Description: "Norm of the gradient."},
		{Key: "learning_rate", Name: semconv.MetricRLLearningRate, Description: "Learning rate of the optimizer."},
		{Key: "efficiency_seconds", Name: semconv.MetricRLEfficiencySeconds, Unit: "s", Description: "Time that went to one category."},
		{Key: "efficiency_pct", Name: semconv.MetricRLEfficiencyPercent, Unit: "%", Description: "Share of the driver's time that was productive."},
		{Key: "setup_duration", Name: semconv.MetricRLSetupDuration, Unit: "s", Description: "How long a phase of the start took."},
		{Key: "vllm_prompt_tokens", Name: semconv.MetricRLPromptTokens, Kind: Counter, Unit: "{token}", Description: "Tokens of prompts that the engine read."},
		{Key: "vllm_generation_tokens", Name: semconv.MetricRLGenerationTokens, Kind: Counter, Unit: "{token}", Description: "Tokens that the engine generated."},
		{Key: "vllm_prompt_length_mean", Name: semconv.MetricRLPromptLength, Unit: "{token}", Description: "Mean length of a prompt in a step."},
		{Key: "vllm_generation_length_mean", Name: semconv.MetricRLGenerationLength, Unit: "{token}", Description: "Mean length of a generated sequence in a step."},
		{Key: "vllm_generations_ok", Name: semconv.MetricRLGenerationsOK, Kind: Counter, Unit: "{generation}", Description: "Generations that the engine finished."},
		{Key: "vllm_generations_failed", Name: semconv.MetricRLGenerationsFailed, Kind: Counter, Unit: "{generation}", Description: "Generations that the engine gave up."},
	}}
}
