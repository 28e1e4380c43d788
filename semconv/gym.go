// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Spans of Gym. CLIENT spans of Gym's own calls are named "HTTP " and the method, SERVER spans by their route ("POST
// /verify").
const (
	// SpanGymJob: internal span, stable. The whole rollout collection, in the driver.
	SpanGymJob = "gym.job"

	// SpanGymRollout: internal span, stable. One attempt of one task. The root of its trace. The driver opens it, or an
	// agent that another driver called.
	SpanGymRollout = "gym.rollout"

	// SpanGymAgentRun: internal span, stable. The agent's /run, when the driver opened gym.rollout.
	SpanGymAgentRun = "gym.agent.run"

	// SpanGymAgentResponses: internal span, stable. The agent loop.
	SpanGymAgentResponses = "gym.agent.responses"

	// SpanGymModelResponses: internal span, stable. The model server's /v1/responses.
	SpanGymModelResponses = "gym.model.responses"

	// SpanGymModelChatCompletions: internal span, stable. The model server's /v1/chat/completions.
	SpanGymModelChatCompletions = "gym.model.chat_completions"

	// SpanGymModelMessages: internal span, stable. The model server's /v1/messages.
	SpanGymModelMessages = "gym.model.messages"

	// SpanGymVerify: internal span, stable. The resources server's /verify.
	SpanGymVerify = "gym.verify"

	// SpanGymStartup: internal span, stable. Root of the fleet's start.
	SpanGymStartup = "gym.startup"

	// SpanGymStartupServer: internal span, stable. One server, from spawn to its first answer.
	SpanGymStartupServer = "gym.startup.server"

	// SpanGymServerStartup: internal span, stable. The same from inside the server.
	SpanGymServerStartup = "gym.server.startup"

	// SpanHTTPPost: client span, stable. A POST of Gym's own client, with all its retries. The agent's calls of models and
	// tools have their content, where it is recorded.
	SpanHTTPPost = "HTTP POST"

	// SpanHTTPGet: client span, stable. A GET of the same client.
	SpanHTTPGet = "HTTP GET"
)

// Attributes of a rollout. They stand on gym.rollout; the id also on endpoint spans and CLIENT spans below it.
const (
	// GymRolloutID: string, stable. The task and the rollout, "-a<n>" added on a retry, or the id that the task's row has.
	// It is also the baggage member that marks the requests of our driver.
	GymRolloutID = "nemo.gym.rollout.id"

	// GymTaskIndex: int, stable. Which task, from 0.
	GymTaskIndex = "nemo.gym.task.index"

	// GymRolloutIndex: int, stable. Which rollout of the task, from 0.
	GymRolloutIndex = "nemo.gym.rollout.index"

	// GymRolloutAttempt: int, stable. 0 on the first try, above 0 on a retry.
	GymRolloutAttempt = "nemo.gym.rollout.attempt"

	// GymAgentName: string, stable. The agent's instance.
	GymAgentName = "nemo.gym.agent.name"

	// GymEnvironmentName: string, stable. The resources server's instance.
	GymEnvironmentName = "nemo.gym.environment.name"

	// GymRolloutReward: double, stable. The reward, of a rollout that was scored.
	GymRolloutReward = "nemo.gym.rollout.reward"

	// GymRolloutOutcome: string, stable. How the rollout ended.
	GymRolloutOutcome = "nemo.gym.rollout.outcome"

	// GymFailureClass: string, stable. Why a rollout has no score. A resources server may give other classes.
	GymFailureClass = "nemo.gym.failure_class"

	// GymRolloutTurns: int, stable. Model calls of the rollout.
	GymRolloutTurns = "nemo.gym.rollout.turns"

	// GymRolloutToolCalls: int, stable. Tool calls of the rollout.
	GymRolloutToolCalls = "nemo.gym.rollout.tool_calls"

	// GymWaitAdmission: double, stable. Milliseconds between ready and admitted.
	GymWaitAdmission = "nemo.gym.wait.admission_ms"
)

// Values of the attributes above.
const (
	// OutcomeScored is a value of nemo.gym.rollout.outcome. It has a score.
	OutcomeScored = "scored"

	// OutcomeFailed is a value of nemo.gym.rollout.outcome. It has none.
	OutcomeFailed = "failed"

	// FailureAgentRun is a value of nemo.gym.failure_class. The agent answered with an error.
	FailureAgentRun = "agent_run_error"

	// FailureAgentRequest is a value of nemo.gym.failure_class. The agent was overloaded, or no answer came.
	FailureAgentRequest = "agent_request_failed"

	// FailureTimeout is a value of nemo.gym.failure_class. The rollout's deadline passed.
	FailureTimeout = "timeout"

	// FailureJudge is a value of nemo.gym.failure_class. The judge behind /verify failed.
	FailureJudge = "judge_failed"
)

// Attributes of calls and links between the parts of a run.
const (
	// GymWaitPool: double, stable. Milliseconds that a call waited for a connection; only when above 0.
	GymWaitPool = "nemo.gym.wait.pool_ms"

	// GymLink: string, stable. On a link: what it leads to.
	GymLink = "nemo.gym.link"
)

// Values of the attributes above.
const (
	// LinkJob is a value of nemo.gym.link. The run's gym.job.
	LinkJob = "job"
)

// Identity of a Gym process. Resource attributes; the server's name also stands on endpoint spans.
const (
	// GymServiceGroup: string, stable. What the service names of a run begin with.
	GymServiceGroup = "nemo.gym.service_group"

	// GymServerName: string, stable. The instance, supervisor for the driver.
	GymServerName = "nemo.gym.server.name"

	// GymServerType: string, stable. The kind of the server.
	GymServerType = "nemo.gym.server.type"

	// GymVersion: string, stable. The version of Gym.
	GymVersion = "nemo.gym.version"
)

// Tokens of a rollout or a model call (OpenTelemetry GenAI conventions).
const (
	// GenAIUsageInputTokens: int, development. Tokens that the model read, of a rollout the sum over its turns.
	GenAIUsageInputTokens = "gen_ai.usage.input_tokens"

	// GenAIUsageOutputTokens: int, development. Tokens that the model wrote, of a rollout the sum over its turns.
	GenAIUsageOutputTokens = "gen_ai.usage.output_tokens"
)
