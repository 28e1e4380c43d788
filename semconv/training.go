// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Metrics of training.
const (
	// MetricTrainingStepDuration: histogram ms, development. How long a training step took.
	MetricTrainingStepDuration = "megatron.training.step_duration_ms"

	// MetricTrainingLoss: gauge, development. Loss of the training.
	MetricTrainingLoss = "megatron.training.loss"

	// MetricTrainingThroughput: gauge, development. Teraflops a second, for each GPU.
	MetricTrainingThroughput = "megatron.training.throughput_tflops"

	// MetricTrainingGradNorm: gauge, development. Norm of the gradient.
	MetricTrainingGradNorm = "megatron.training.grad_norm"

	// MetricTrainingLearningRate: gauge, development. Learning rate of the optimizer.
	MetricTrainingLearningRate = "megatron.training.learning_rate"

	// MetricTrainingTokensPerSec: gauge, development. Tokens a second.
	MetricTrainingTokensPerSec = "megatron.training.tokens_per_sec"

	// MetricTrainingMemory: gauge, development. The most memory that was allocated on a GPU, in gigabytes.
	MetricTrainingMemory = "megatron.training.memory_allocated_gb"

	// MetricTrainingSkipped: counter, development. Iterations that were skipped. Recorded only when there are any.
	MetricTrainingSkipped = "megatron.training.skipped_iters"
)

// Metrics of reinforcement learning.
const (
	// MetricRLReward: gauge, development. Mean reward of the rollouts.
	MetricRLReward = "rl.reward.mean"

	// MetricRLKL: gauge, development. KL divergence from the reference policy.
	MetricRLKL = "rl.kl.divergence"

	// MetricRLPolicyLoss: gauge, development. Loss of the policy.
	MetricRLPolicyLoss = "rl.policy.loss"

	// MetricRLValueLoss: gauge, development. Loss of the value function.
	MetricRLValueLoss = "rl.value.loss"

	// MetricRLEntropy: gauge, development. Entropy of the policy.
	MetricRLEntropy = "rl.entropy"

	// MetricRLResponseLength: gauge {token}, development. Mean length of a response.
	MetricRLResponseLength = "rl.response.length.mean"

	// MetricRLGradNorm: gauge, development. Norm of the gradient.
	MetricRLGradNorm = "rl.grad_norm"

	// MetricRLLearningRate: gauge, development. Learning rate of the optimizer.
	MetricRLLearningRate = "rl.learning_rate"

	// MetricRLEfficiencySeconds: gauge s, development. Time that went to one category.
	MetricRLEfficiencySeconds = "rl.efficiency.seconds"

	// MetricRLEfficiencyPercent: gauge %, development. Share of the driver's time that was productive.
	MetricRLEfficiencyPercent = "rl.efficiency.pct"

	// MetricRLSetupDuration: gauge s, development. How long a phase of the start took. Phases overlap.
	MetricRLSetupDuration = "rl.setup.duration"

	// MetricRLPromptTokens: counter {token}, development. Tokens of prompts that the engine read.
	MetricRLPromptTokens = "rl.vllm.prompt_tokens"

	// MetricRLGenerationTokens: counter {token}, development. Tokens that the engine generated.
	MetricRLGenerationTokens = "rl.vllm.generation_tokens"

	// MetricRLPromptLength: gauge {token}, development. Mean length of a prompt in a step.
	MetricRLPromptLength = "rl.vllm.prompt_length.mean"

	// MetricRLGenerationLength: gauge {token}, development. Mean length of a generated sequence in a step.
	MetricRLGenerationLength = "rl.vllm.generation_length.mean"

	// MetricRLGenerationsOK: counter {generation}, development. Generations that the engine finished.
	MetricRLGenerationsOK = "rl.vllm.generations.ok"

	// MetricRLGenerationsFailed: counter {generation}, development. Generations that the engine gave up.
	MetricRLGenerationsFailed = "rl.vllm.generations.failed"
)

// Attributes of them.
const (
	// RLSetupPhase: string, development. The phase of the start.
	RLSetupPhase = "rl.setup.phase"

	// RLEfficiencyCategory: string, development. What the time went to.
	RLEfficiencyCategory = "rl.efficiency.category"

	// RLEfficiencyMeasurement: string, development. How the time was measured.
	RLEfficiencyMeasurement = "rl.efficiency.measurement"

	// RLEfficiencyWindow: string, development. Over which time.
	RLEfficiencyWindow = "rl.efficiency.window"

	// RLBucket: string, development. What the time was for.
	RLBucket = "rl.bucket"
)

// Values of the attributes above.
const (
	// MeasuredWallClock is a value of rl.efficiency.measurement. On the driver, one after the other: the only one to hold
	// against the time that passed.
	MeasuredWallClock = "wall_clock"

	// MeasuredCollectorWallClock is a value of rl.efficiency.measurement. In the loop of the collector, beside the driver.
	MeasuredCollectorWallClock = "collector_wall_clock"

	// MeasuredThreadSeconds is a value of rl.efficiency.measurement. The sum over threads, which may be more than passed.
	MeasuredThreadSeconds = "thread_seconds"

	// WindowStep is a value of rl.efficiency.window. Of one step: values of steps add up.
	WindowStep = "step"

	// WindowRun is a value of rl.efficiency.window. Since the start.
	WindowRun = "run"
)
