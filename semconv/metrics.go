package semconv

// Metrics of Gym. Histograms whose names end in _ms hold milliseconds.
const (
	MetricRolloutDuration  = "gym.rollout.duration_ms"     // histogram ms: the agent's /run
	MetricRolloutCompleted = "gym.rollout.completed_total" // counter: attempts that ended, by outcome

	MetricVerifyDuration    = "gym.verify.duration_ms"  // histogram ms: the resources server's /verify
	MetricVerifySuccessRate = "gym.verify.success_rate" // gauge: share of the process's /verify calls that completed

	MetricServersActive        = "gym.servers.active"                   // gauge, supervisor only
	MetricServerStartup        = "gym.server.startup_duration_ms"       // histogram ms: from spawn to the first answer
	MetricServerStartupStage   = "gym.server.startup_stage_duration_ms" // histogram ms: a part of it
	MetricServerRequest        = "gym.server.request_duration_ms"       // histogram ms: the Python library has it; Gym's servers record MetricHTTPServerDuration
	MetricServerRequestsActive = "gym.server.requests.in_flight"        // up-down counter {request}
	MetricServerProcesses      = "gym.server.processes"                 // gauge {process}: a server and what it started
	MetricServerMemory         = "gym.server.memory.usage"              // gauge By
	MetricServerMemoryPeak     = "gym.server.memory.sampled_peak"       // gauge By: the greatest value that was sampled

	MetricHostMemory          = "gym.host.memory.usage"        // gauge By: total less available
	MetricHostMemoryAvailable = "gym.host.memory.available"    // gauge By
	MetricHostMemoryTotal     = "gym.host.memory.total"        // gauge By
	MetricHostMemoryPeak      = "gym.host.memory.sampled_peak" // gauge By

	MetricSandboxActive      = "gym.sandbox.active"              // up-down counter {sandbox}
	MetricSandboxStartup     = "gym.sandbox.startup_duration_ms" // histogram ms
	MetricSandboxExec        = "gym.sandbox.exec_duration_ms"    // histogram ms
	MetricSandboxCreateRetry = "gym.sandbox.create_retry_total"  // counter

	MetricPoolQueue   = "gym.http.connection_pool.queue_duration_ms" // histogram ms: only of requests that waited
	MetricPoolConnect = "gym.http.connection_pool.connect_total"     // counter {connection}

	MetricModelCallDuration = "gym.model_call.duration_ms"  // histogram ms
	MetricModelCallTTFT     = "gym.model_call.ttft_ms"      // histogram ms: to the first token, of streamed replies
	MetricModelCallTokens   = "gym.model_call.tokens"       // histogram {token}
	MetricModelCallFinish   = "gym.model_call.finish_total" // counter: successes, by what ended them

	MetricDriverOffered   = "gym.driver.rollouts.offered"   // counter {rollout}: there to be run
	MetricDriverResident  = "gym.driver.rollouts.resident"  // up-down counter {rollout}: begun, and not written yet
	MetricDriverActive    = "gym.driver.rollouts.active"    // up-down counter {rollout}: at their agents
	MetricDriverLimit     = "gym.driver.rollouts.limit"     // gauge {rollout}: how many may run at a time
	MetricDriverAdmission = "gym.driver.admission.duration" // histogram s: from offered to begun
)

// Metrics of the OpenTelemetry conventions that are written by our own code.
const (
	MetricHTTPServerDuration  = "http.server.request.duration"   // histogram s
	MetricGenAIServerDuration = "gen_ai.server.request.duration" // histogram s: an inference server's requests
	MetricGenAITokenUsage     = "gen_ai.client.token.usage"      // histogram {token}, by GenAITokenType

	MetricGoMemoryUsed      = "go.memory.used"        // up-down counter By, by GoMemoryType
	MetricGoMemoryLimit     = "go.memory.limit"       // up-down counter By, when there is one
	MetricGoMemoryAllocated = "go.memory.allocated"   // counter By
	MetricGoAllocations     = "go.memory.allocations" // counter {allocation}
	MetricGoGCGoal          = "go.memory.gc.goal"     // up-down counter By
	MetricGoGoroutines      = "go.goroutine.count"    // up-down counter {goroutine}
	MetricGoProcessors      = "go.processor.limit"    // up-down counter {thread}
	MetricGoSchedule        = "go.schedule.duration"  // histogram s: how long goroutines waited to run
	MetricGoGCPause         = "go.gc.pause.duration"  // histogram s: how long the collector stopped the program; no convention has a name for it
	MetricGoGCCycles        = "go.gc.cycles"          // counter {cycle}; no convention has a name for it

	MetricProcessCPUTime = "process.cpu.time"                   // counter s, by CPUMode
	MetricProcessMemory  = "process.memory.usage"               // up-down counter By: resident
	MetricProcessThreads = "process.thread.count"               // up-down counter {thread}
	MetricProcessFiles   = "process.open_file_descriptor.count" // up-down counter {file_descriptor}

	MetricSystemMemory          = "system.memory.usage"           // up-down counter By, by SystemMemoryState
	MetricSystemMemoryLimit     = "system.memory.limit"           // up-down counter By: what the host has
	MetricSystemMemoryAvailable = "system.memory.linux.available" // up-down counter By: what a program may get without swapping
	MetricSystemCPUTime         = "system.cpu.time"               // counter s, by CPUMode: all processors of the host
	MetricSystemCPUs            = "system.cpu.logical.count"      // up-down counter {cpu}
	MetricSystemLoad1           = "system.cpu.load_average.1m"    // gauge {thread}; the name is the Collector's, the conventions have none
	MetricSystemLoad5           = "system.cpu.load_average.5m"    // gauge {thread}
	MetricSystemLoad15          = "system.cpu.load_average.15m"   // gauge {thread}

	MetricSDKQueueSize     = "otel.sdk.processor.span.queue.size"           // up-down counter {span}
	MetricSDKQueueCapacity = "otel.sdk.processor.span.queue.capacity"       // up-down counter {span}
	MetricSDKProcessed     = "otel.sdk.processor.span.processed"            // counter {span}, lost ones with ErrorType
	MetricSDKSpans         = "otel.sdk.exporter.span.exported"              // counter {span}, lost ones with ErrorType
	MetricSDKPoints        = "otel.sdk.exporter.metric_data_point.exported" // counter {data_point}, lost ones with ErrorType
	MetricSDKLogs          = "otel.sdk.exporter.log.exported"               // counter {log_record}, lost ones with ErrorType
)

// Metrics of Lens about its own exporters, by LensSignal.
const (
	MetricSpoolItems    = "nemo.lens.spool.items"       // up-down counter {item}: on disk until the collector takes them
	MetricRepeatedItems = "nemo.lens.exporter.repeated" // counter {item}: sent again because a request got no answer
)

// Attributes of metrics.
const (
	GymFailureReason      = "nemo.gym.failure_reason"                        // string, a word
	GymSandboxProvider    = "nemo.gym.sandbox.provider"                      // string
	GymQueueConstraint    = "nemo.gym.http.connection_pool.queue_constraint" // string: QueuePerHost
	GymQueueOutcome       = "nemo.gym.http.connection_pool.queue_outcome"    // string: QueueOK or QueueAbandoned
	GymDestinationServer  = "nemo.gym.http.destination.server.name"          // string: an instance of the run, else DestinationExternal
	GymModelCallDialect   = "nemo.gym.model_call.dialect"                    // string: DialectResponses and its like
	GymModelCallOutcome   = "nemo.gym.model_call.outcome"                    // string: ModelCallOK, else what kind of error
	GymModelCallTokenType = "nemo.gym.model_call.token.type"                 // string: TokenInput and its like
	GymModelCallFinish    = "nemo.gym.model_call.finish_reason"              // string
	GymStartupStage       = "nemo.gym.startup.stage"                         // string
	MemoryType            = "memory.type"                                    // string: MemoryRSS or MemoryPSS

	LensSignal       = "nemo.lens.signal"    // string: traces, metrics or logs
	SDKComponentName = "otel.component.name" // string: the type and a number
	SDKComponentType = "otel.component.type" // string: SDKBatchProcessor or SDKExporter

	GoMemoryType = "go.memory.type" // string: stack or other
	CPUMode      = "cpu.mode"       // string: user, system; of a host also nice, idle, iowait, interrupt, steal

	SystemMemoryState = "system.memory.state" // string: MemoryUsed and its like

	GenAIProviderName = "gen_ai.provider.name" // string: ProviderNemo
	GenAITokenType    = "gen_ai.token.type"    // string: TokenInput or TokenOutput
)

// Values of the attributes above.
const (
	OutcomeOmitted      = "omitted" // of GymRolloutOutcome, in metrics only: the agent asked that it be written nowhere
	Other               = "other"   // a value that would be one too many, or that is no word
	QueuePerHost        = "per_host"
	QueueOK             = "ok"
	QueueAbandoned      = "abandoned"
	DestinationExternal = "external"
	DialectResponses    = "responses"
	DialectChat         = "chat_completions"
	DialectMessages     = "messages"
	ModelCallOK         = "ok"
	TokenInput          = "input"
	TokenOutput         = "output"
	TokenReasoning      = "reasoning"
	MemoryRSS           = "rss"
	MemoryPSS           = "pss"
	MemoryUsed          = "used" // of SystemMemoryState; the four of them make up the limit
	MemoryFree          = "free"
	MemoryBuffers       = "buffers"
	MemoryCached        = "cached"
	ProviderNemo        = "nemo"

	OperationTextCompletion = "text_completion" // of GenAIOperationName, in metrics

	SDKBatchProcessor = "batching_span_processor"
	SDKExporter       = "otlp_exporter"

	LostQueueFull  = "queue_full"  // of ErrorType: there was no room in memory
	LostRejected   = "rejected"    // the collector took the request without them
	LostRefused    = "refused"     // the collector refused the request
	LostUnsent     = "unsent"      // nothing took them in time
	LostSpoolFull  = "spool_full"  // dropped on disk for newer ones
	LostSpoolWrong = "spool_wrong" // dropped on disk because the record was damaged
)
