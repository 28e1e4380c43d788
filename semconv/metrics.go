// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Metrics of Gym.
const (
	// MetricRolloutDuration: histogram ms, development. How long the agent took for /run, failures among them.
	MetricRolloutDuration = "gym.rollout.duration_ms"

	// MetricRolloutCompleted: counter, development. Attempts that ended, by outcome.
	MetricRolloutCompleted = "gym.rollout.completed_total"

	// MetricVerifyDuration: histogram ms, development. How long /verify took.
	MetricVerifyDuration = "gym.verify.duration_ms"

	// MetricVerifySuccessRate: gauge, development. Share of this process's calls of /verify that completed, whatever their
	// reward.
	MetricVerifySuccessRate = "gym.verify.success_rate"

	// MetricServersActive: gauge, development. Servers that this supervisor runs.
	MetricServersActive = "gym.servers.active"

	// MetricServerStartup: histogram ms, development. How long a server took from spawn to its first answer.
	MetricServerStartup = "gym.server.startup_duration_ms"

	// MetricServerStartupStage: histogram ms, development. How long a stage of a server's start took.
	MetricServerStartupStage = "gym.server.startup_stage_duration_ms"

	// MetricServerRequest: histogram ms, development. How long a request to a server took. The Python library has it;
	// Gym's servers record http.server.request.duration.
	MetricServerRequest = "gym.server.request_duration_ms"

	// MetricServerRequestsActive: updowncounter {request}, development. Requests that a server works on.
	MetricServerRequestsActive = "gym.server.requests.in_flight"

	// MetricServerProcesses: gauge {process}, development. Processes of a server. The server, and what it started.
	MetricServerProcesses = "gym.server.processes"

	// MetricServerMemory: gauge By, development. Memory of a server and the processes that it started.
	MetricServerMemory = "gym.server.memory.usage"

	// MetricServerMemoryPeak: gauge By, development. The most memory of a server that was sampled.
	MetricServerMemoryPeak = "gym.server.memory.sampled_peak"

	// MetricHostMemory: gauge By, development. Memory of the host that is in use: the total less what is available.
	MetricHostMemory = "gym.host.memory.usage"

	// MetricHostMemoryAvailable: gauge By, development. Memory of the host that is available.
	MetricHostMemoryAvailable = "gym.host.memory.available"

	// MetricHostMemoryTotal: gauge By, development. Memory of the host.
	MetricHostMemoryTotal = "gym.host.memory.total"

	// MetricHostMemoryPeak: gauge By, development. The most memory of the host in use that was sampled.
	MetricHostMemoryPeak = "gym.host.memory.sampled_peak"

	// MetricSandboxActive: updowncounter {sandbox}, development. Sandboxes that this process holds.
	MetricSandboxActive = "gym.sandbox.active"

	// MetricSandboxStartup: histogram ms, development. How long it took to create a sandbox.
	MetricSandboxStartup = "gym.sandbox.startup_duration_ms"

	// MetricSandboxExec: histogram ms, development. How long a command in a sandbox took.
	MetricSandboxExec = "gym.sandbox.exec_duration_ms"

	// MetricSandboxCreateRetry: counter, development. How often a provider tried again to create a sandbox.
	MetricSandboxCreateRetry = "gym.sandbox.create_retry_total"

	// MetricPoolQueue: histogram ms, development. How long a request waited for a connection; only of those that waited.
	MetricPoolQueue = "gym.http.connection_pool.queue_duration_ms"

	// MetricPoolConnect: counter {connection}, development. New TCP connections.
	MetricPoolConnect = "gym.http.connection_pool.connect_total"

	// MetricModelCallDuration: histogram ms, development. How long a model call took.
	MetricModelCallDuration = "gym.model_call.duration_ms"

	// MetricModelCallTTFT: histogram ms, development. How long a streamed model call took to its first token.
	MetricModelCallTTFT = "gym.model_call.ttft_ms"

	// MetricModelCallTokens: histogram {token}, development. Tokens of a model call.
	MetricModelCallTokens = "gym.model_call.tokens"

	// MetricModelCallFinish: counter, development. Model calls that succeeded, by what ended them.
	MetricModelCallFinish = "gym.model_call.finish_total"

	// MetricDriverOffered: counter {rollout}, development. Rollouts that were there to be run.
	MetricDriverOffered = "gym.driver.rollouts.offered"

	// MetricDriverResident: updowncounter {rollout}, development. Rollouts that have begun and are not written yet.
	MetricDriverResident = "gym.driver.rollouts.resident"

	// MetricDriverActive: updowncounter {rollout}, development. Rollouts that are at their agents.
	MetricDriverActive = "gym.driver.rollouts.active"

	// MetricDriverLimit: gauge {rollout}, development. Rollouts that may run at a time.
	MetricDriverLimit = "gym.driver.rollouts.limit"

	// MetricDriverAdmission: histogram s, development. How long a rollout waited from being offered to its beginning.
	MetricDriverAdmission = "gym.driver.admission.duration"
)

// Metrics of the OpenTelemetry conventions that are written by our own code.
const (
	// MetricHTTPServerDuration: histogram s, stable. How long a server worked on a request.
	MetricHTTPServerDuration = "http.server.request.duration"

	// MetricGenAIServerDuration: histogram s, development. How long a request to an inference server took.
	MetricGenAIServerDuration = "gen_ai.server.request.duration"

	// MetricGenAITokenUsage: histogram {token}, development. Tokens of a request, those of the input and of the output
	// apart.
	MetricGenAITokenUsage = "gen_ai.client.token.usage"

	// MetricGoMemoryUsed: updowncounter By, development. Memory that the Go runtime uses.
	MetricGoMemoryUsed = "go.memory.used"

	// MetricGoMemoryLimit: updowncounter By, development. The limit for it, where one is set.
	MetricGoMemoryLimit = "go.memory.limit"

	// MetricGoMemoryAllocated: counter By, development. Memory that the program has allocated on the heap.
	MetricGoMemoryAllocated = "go.memory.allocated"

	// MetricGoAllocations: counter {allocation}, development. Allocations on the heap.
	MetricGoAllocations = "go.memory.allocations"

	// MetricGoGCGoal: updowncounter By, development. Size of the heap at which the garbage collector begins.
	MetricGoGCGoal = "go.memory.gc.goal"

	// MetricGoGoroutines: updowncounter {goroutine}, development. Goroutines.
	MetricGoGoroutines = "go.goroutine.count"

	// MetricGoProcessors: updowncounter {thread}, development. Threads that may run Go code at once.
	MetricGoProcessors = "go.processor.limit"

	// MetricGoSchedule: histogram s, development. How long goroutines were ready before they ran.
	MetricGoSchedule = "go.schedule.duration"

	// MetricGoGCPause: histogram s, development. How long the garbage collector stopped the program. A name of ours. The
	// conventions have go.memory.gc.pause.duration from v1.43.0 on.
	MetricGoGCPause = "go.gc.pause.duration"

	// MetricGoGCCycles: counter {cycle}, development. Garbage collections. A name of ours. The conventions have
	// go.memory.gc.cycles from v1.43.0 on.
	MetricGoGCCycles = "go.gc.cycles"

	// MetricProcessCPUTime: counter s, development. CPU time of the process.
	MetricProcessCPUTime = "process.cpu.time"

	// MetricProcessMemory: updowncounter By, development. Resident memory of the process.
	MetricProcessMemory = "process.memory.usage"

	// MetricProcessThreads: updowncounter {thread}, development. Threads of the process.
	MetricProcessThreads = "process.thread.count"

	// MetricProcessFiles: updowncounter {file_descriptor}, development, deprecated. Open file descriptors of the process.
	// The Python system has this name. OpenTelemetry calls it process.unix.file_descriptor.count meanwhile.
	MetricProcessFiles = "process.open_file_descriptor.count"

	// MetricSystemMemory: updowncounter By, development. Memory of the host by what it is used for.
	MetricSystemMemory = "system.memory.usage"

	// MetricSystemMemoryLimit: updowncounter By, development. Memory of the host.
	MetricSystemMemoryLimit = "system.memory.limit"

	// MetricSystemMemoryAvailable: updowncounter By, development. Memory that a program can get without swapping.
	MetricSystemMemoryAvailable = "system.memory.linux.available"

	// MetricSystemCPUTime: counter s, development. CPU time of the host, all processors together.
	MetricSystemCPUTime = "system.cpu.time"

	// MetricSystemCPUs: updowncounter {cpu}, development. Processors of the host.
	MetricSystemCPUs = "system.cpu.logical.count"

	// MetricSystemLoad1: gauge {thread}, development. Threads that run or want to, on average over a minute. The name is
	// the Collector's; the conventions have none.
	MetricSystemLoad1 = "system.cpu.load_average.1m"

	// MetricSystemLoad5: gauge {thread}, development. Threads that run or want to, on average over five minutes.
	MetricSystemLoad5 = "system.cpu.load_average.5m"

	// MetricSystemLoad15: gauge {thread}, development. Threads that run or want to, on average over fifteen minutes.
	MetricSystemLoad15 = "system.cpu.load_average.15m"

	// MetricSDKQueueSize: updowncounter {span}, development. Spans that wait to be exported.
	MetricSDKQueueSize = "otel.sdk.processor.span.queue.size"

	// MetricSDKQueueCapacity: updowncounter {span}, development. Spans that may wait to be exported.
	MetricSDKQueueCapacity = "otel.sdk.processor.span.queue.capacity"

	// MetricSDKProcessed: counter {span}, development. Spans that the batch processor is done with. Lost ones have
	// error.type.
	MetricSDKProcessed = "otel.sdk.processor.span.processed"

	// MetricSDKSpans: counter {span}, development. Spans that are done with at the exporter. Lost ones have error.type.
	MetricSDKSpans = "otel.sdk.exporter.span.exported"

	// MetricSDKPoints: counter {data_point}, development. Data points that are done with at the exporter. Lost ones have
	// error.type.
	MetricSDKPoints = "otel.sdk.exporter.metric_data_point.exported"

	// MetricSDKLogs: counter {log_record}, development. Log records that are done with at the exporter. Lost ones have
	// error.type.
	MetricSDKLogs = "otel.sdk.exporter.log.exported"
)

// Metrics of Lens about itself.
const (
	// MetricSpoolItems: updowncounter {item}, development. What is kept on disk until the collector takes it.
	MetricSpoolItems = "nemo.lens.spool.items"

	// MetricRepeatedItems: counter {item}, development. What was sent again because a request got no answer.
	MetricRepeatedItems = "nemo.lens.exporter.repeated"

	// MetricDoctorProbes: counter {probe}, development. Probes that lens doctor has sent.
	MetricDoctorProbes = "lens.doctor.probes"
)

// Attributes of metrics.
const (
	// GymFailureReason: string, development. Why a rollout failed, a word.
	GymFailureReason = "nemo.gym.failure_reason"

	// GymQueueConstraint: string, development. What made a request wait.
	GymQueueConstraint = "nemo.gym.http.connection_pool.queue_constraint"

	// GymQueueOutcome: string, development. How the wait ended.
	GymQueueOutcome = "nemo.gym.http.connection_pool.queue_outcome"

	// GymDestinationServer: string, development. The instance of the run that was called.
	GymDestinationServer = "nemo.gym.http.destination.server.name"

	// GymModelCallDialect: string, development. How the model was asked.
	GymModelCallDialect = "nemo.gym.model_call.dialect"

	// GymModelCallOutcome: string, development. How the call ended, else what kind of error it was.
	GymModelCallOutcome = "nemo.gym.model_call.outcome"

	// GymModelCallTokenType: string, development. Which tokens.
	GymModelCallTokenType = "nemo.gym.model_call.token.type"

	// GymModelCallFinish: string, development. What ended the answer.
	GymModelCallFinish = "nemo.gym.model_call.finish_reason"

	// GymStartupStage: string, development. The stage of a start; the span of a stage has it, too.
	GymStartupStage = "nemo.gym.startup.stage"

	// MemoryType: string, development. How memory is counted.
	MemoryType = "memory.type"

	// LensSignal: string, development. traces, metrics or logs.
	LensSignal = "nemo.lens.signal"

	// SDKComponentName: string, development. The type of the component and a number.
	SDKComponentName = "otel.component.name"

	// SDKComponentType: string, development. Which part of the SDK.
	SDKComponentType = "otel.component.type"

	// GoMemoryType: string, development. stack or other.
	GoMemoryType = "go.memory.type"

	// CPUMode: string, release candidate. user or system, of a host also nice, idle, iowait, interrupt, steal.
	CPUMode = "cpu.mode"

	// SystemMemoryState: string, development. What memory is used for.
	SystemMemoryState = "system.memory.state"

	// GenAIProviderName: string, development. Whose model it is.
	GenAIProviderName = "gen_ai.provider.name"

	// GenAITokenType: string, development. Which tokens.
	GenAITokenType = "gen_ai.token.type"
)

// Values of the attributes above.
const (
	// QueuePerHost is a value of nemo.gym.http.connection_pool.queue_constraint. The bound is that of a server.
	QueuePerHost = "per_host"

	// QueueOK is a value of nemo.gym.http.connection_pool.queue_outcome. It got a connection.
	QueueOK = "ok"

	// QueueAbandoned is a value of nemo.gym.http.connection_pool.queue_outcome. It gave up.
	QueueAbandoned = "abandoned"

	// DestinationExternal is a value of nemo.gym.http.destination.server.name. No server of the run.
	DestinationExternal = "external"

	// DialectResponses is a value of nemo.gym.model_call.dialect. /v1/responses.
	DialectResponses = "responses"

	// DialectChat is a value of nemo.gym.model_call.dialect. /v1/chat/completions.
	DialectChat = "chat_completions"

	// DialectMessages is a value of nemo.gym.model_call.dialect. /v1/messages.
	DialectMessages = "messages"

	// ModelCallOK is a value of nemo.gym.model_call.outcome. It succeeded.
	ModelCallOK = "ok"

	// TokenInput is a value of nemo.gym.model_call.token.type. Tokens that the model read.
	TokenInput = "input"

	// TokenOutput is a value of nemo.gym.model_call.token.type. Tokens that the model wrote, of its reasoning too.
	TokenOutput = "output"

	// TokenReasoning is a value of nemo.gym.model_call.token.type. Tokens of its reasoning.
	TokenReasoning = "reasoning"

	// Other is a value of nemo.gym.model_call.finish_reason. A value that would be one too many, or that is no word; of
	// other attributes too.
	Other = "other"

	// MemoryRSS is a value of memory.type. Resident memory.
	MemoryRSS = "rss"

	// MemoryPSS is a value of memory.type. The same, with a fair share of what several processes use.
	MemoryPSS = "pss"

	// SDKBatchProcessor is a value of otel.component.type. The queue of spans.
	SDKBatchProcessor = "batching_span_processor"

	// SDKExporter is a value of otel.component.type. What sends to the collector.
	SDKExporter = "otlp_exporter"

	// MemoryUsed is a value of system.memory.state. What programs use. The four of them make up the limit.
	MemoryUsed = "used"

	// MemoryFree is a value of system.memory.state. What nobody uses.
	MemoryFree = "free"

	// MemoryBuffers is a value of system.memory.state. Buffers of devices.
	MemoryBuffers = "buffers"

	// MemoryCached is a value of system.memory.state. Files that were read.
	MemoryCached = "cached"

	// ProviderNemo is a value of gen_ai.provider.name. An inference server of ours.
	ProviderNemo = "nemo"
)

// Values that are in metrics only, of attributes that spans have, too.
const (
	// OutcomeOmitted is a value of nemo.gym.rollout.outcome. The agent asked that it be written nowhere.
	OutcomeOmitted = "omitted"

	// OperationTextCompletion is a value of gen_ai.operation.name. A request to an inference server.
	OperationTextCompletion = "text_completion"

	// LostQueueFull is a value of error.type. There was no room in memory.
	LostQueueFull = "queue_full"

	// LostRejected is a value of error.type. The collector took the request without them.
	LostRejected = "rejected"

	// LostRefused is a value of error.type. The collector refused the request.
	LostRefused = "refused"

	// LostUnsent is a value of error.type. Nothing took them in time.
	LostUnsent = "unsent"

	// LostSpoolFull is a value of error.type. Dropped on disk for newer ones.
	LostSpoolFull = "spool_full"

	// LostSpoolWrong is a value of error.type. Dropped on disk because the record was damaged.
	LostSpoolWrong = "spool_wrong"
)
