package semconv

// Metrics of training and of reinforcement learning. The names belong to the trainers of the Python world, which declare them
// by themselves; they stand here so that a trainer in Go writes the same ones.
const (
	MetricTrainingStepDuration = "megatron.training.step_duration_ms"    // histogram ms
	MetricTrainingLoss         = "megatron.training.loss"                // gauge
	MetricTrainingThroughput   = "megatron.training.throughput_tflops"   // gauge: for each GPU
	MetricTrainingGradNorm     = "megatron.training.grad_norm"           // gauge
	MetricTrainingLearningRate = "megatron.training.learning_rate"       // gauge
	MetricTrainingTokensPerSec = "megatron.training.tokens_per_sec"      // gauge
	MetricTrainingMemory       = "megatron.training.memory_allocated_gb" // gauge: the peak on a GPU
	MetricTrainingSkipped      = "megatron.training.skipped_iters"       // counter: recorded only when there are any

	MetricRLReward         = "rl.reward.mean"          // gauge
	MetricRLKL             = "rl.kl.divergence"        // gauge
	MetricRLPolicyLoss     = "rl.policy.loss"          // gauge
	MetricRLValueLoss      = "rl.value.loss"           // gauge
	MetricRLEntropy        = "rl.entropy"              // gauge
	MetricRLResponseLength = "rl.response.length.mean" // gauge {token}
	MetricRLGradNorm       = "rl.grad_norm"            // gauge
	MetricRLLearningRate   = "rl.learning_rate"        // gauge

	MetricRLEfficiencySeconds = "rl.efficiency.seconds" // gauge s, by RLEfficiencyCategory, RLEfficiencyMeasurement, RLEfficiencyWindow, RLBucket
	MetricRLEfficiencyPercent = "rl.efficiency.pct"     // gauge %, by RLEfficiencyMeasurement and RLEfficiencyWindow
	MetricRLSetupDuration     = "rl.setup.duration"     // gauge s, by RLSetupPhase; phases overlap

	MetricRLPromptTokens      = "rl.vllm.prompt_tokens"          // counter {token}
	MetricRLGenerationTokens  = "rl.vllm.generation_tokens"      // counter {token}
	MetricRLPromptLength      = "rl.vllm.prompt_length.mean"     // gauge {token}
	MetricRLGenerationLength  = "rl.vllm.generation_length.mean" // gauge {token}
	MetricRLGenerationsOK     = "rl.vllm.generations.ok"         // counter {generation}
	MetricRLGenerationsFailed = "rl.vllm.generations.failed"     // counter {generation}
)

// Attributes of them.
const (
	RLSetupPhase            = "rl.setup.phase"            // string
	RLEfficiencyCategory    = "rl.efficiency.category"    // string
	RLEfficiencyMeasurement = "rl.efficiency.measurement" // string: MeasuredWallClock and its like
	RLEfficiencyWindow      = "rl.efficiency.window"      // string: WindowStep or WindowRun
	RLBucket                = "rl.bucket"                 // string: what the time was for
)

// Values of the attributes above.
const (
	MeasuredWallClock          = "wall_clock"           // on the driver, one after the other: the only one to hold against the time that passed
	MeasuredCollectorWallClock = "collector_wall_clock" // in the loop of the collector, beside the driver
	MeasuredThreadSeconds      = "thread_seconds"       // the sum over threads, which may be more than passed
	WindowStep                 = "step"                 // of one step: values of steps add up
	WindowRun                  = "run"                  // since the start
)
