package semconv

// Span names of Gym. CLIENT spans of Gym's own calls are named "HTTP " and the method, SERVER spans by their route
// ("POST /verify").
const (
	SpanGymJob                  = "gym.job"                    // the whole rollout collection, in the driver
	SpanGymRollout              = "gym.rollout"                // one attempt of one task
	SpanGymAgentRun             = "gym.agent.run"              // the agent's /run, when the driver opened gym.rollout
	SpanGymAgentResponses       = "gym.agent.responses"        // the agent loop
	SpanGymModelResponses       = "gym.model.responses"        // the model server's /v1/responses
	SpanGymModelChatCompletions = "gym.model.chat_completions" // the model server's /v1/chat/completions
	SpanGymModelMessages        = "gym.model.messages"         // the model server's /v1/messages
	SpanGymVerify               = "gym.verify"                 // the resources server's /verify
	SpanGymStartup              = "gym.startup"                // root of the fleet's start
	SpanGymStartupServer        = "gym.startup.server"         // one server, from spawn to its first answer
	SpanGymServerStartup        = "gym.server.startup"         // the same from inside the server; both have stages: the name, a dot, the stage
	SpanHTTPPost                = "HTTP POST"
	SpanHTTPGet                 = "HTTP GET"
)

// Attributes of a rollout. They stand on gym.rollout; the id also on endpoint spans and CLIENT spans below it.
const (
	GymRolloutID        = "nemo.gym.rollout.id"         // string: "<task>-<rollout>", "-a<n>" added on a retry; also the baggage member that marks our driver's requests
	GymTaskIndex        = "nemo.gym.task.index"         // int, from 0
	GymRolloutIndex     = "nemo.gym.rollout.index"      // int, from 0, within the task
	GymRolloutAttempt   = "nemo.gym.rollout.attempt"    // int: 0 on the first try, above 0 on a retry
	GymAgentName        = "nemo.gym.agent.name"         // string: the agent's instance
	GymEnvironmentName  = "nemo.gym.environment.name"   // string: the resources server's instance
	GymRolloutReward    = "nemo.gym.rollout.reward"     // double
	GymRolloutOutcome   = "nemo.gym.rollout.outcome"    // string: OutcomeScored or OutcomeFailed
	GymFailureClass     = "nemo.gym.failure_class"      // string, on a failed rollout
	GymRolloutTurns     = "nemo.gym.rollout.turns"      // int: model calls
	GymRolloutToolCalls = "nemo.gym.rollout.tool_calls" // int
	GymWaitAdmission    = "nemo.gym.wait.admission_ms"  // double, milliseconds between ready and admitted
	GymWaitPool         = "nemo.gym.wait.pool_ms"       // double, milliseconds a call waited for a connection; only when above 0
	GymLink             = "nemo.gym.link"               // string, on a link: what it leads to
)

// Values of the attributes above.
const (
	OutcomeScored = "scored"
	OutcomeFailed = "failed"
	LinkJob       = "job"
)

// Failure classes: why a rollout has no score.
const (
	FailureAgentRun     = "agent_run_error"      // the agent answered with an error
	FailureAgentRequest = "agent_request_failed" // the agent was overloaded, or no answer came
	FailureTimeout      = "timeout"              // the rollout's deadline passed
	FailureJudge        = "judge_failed"         // the judge behind /verify failed
)

// Identity of a Gym process. Resource attributes; the server name also stands on endpoint spans.
const (
	GymServiceGroup = "nemo.gym.service_group"
	GymServerName   = "nemo.gym.server.name"
	GymServerType   = "nemo.gym.server.type"
	GymVersion      = "nemo.gym.version"
)

// Tokens of a rollout or a model call (OpenTelemetry GenAI conventions).
const (
	GenAIUsageInputTokens  = "gen_ai.usage.input_tokens"
	GenAIUsageOutputTokens = "gen_ai.usage.output_tokens"
)
