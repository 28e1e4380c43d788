package semconv

// What was said to a model and by it, and the calls of tools (OpenTelemetry GenAI conventions, in development:
// https://github.com/open-telemetry/semantic-conventions-genai). Written only when content is recorded.
const (
	GenAIOperationName         = "gen_ai.operation.name"          // string: OperationChat or OperationExecuteTool
	GenAIRequestModel          = "gen_ai.request.model"           // string
	GenAIResponseModel         = "gen_ai.response.model"          // string
	GenAIResponseFinishReasons = "gen_ai.response.finish_reasons" // strings, one: stop, tool_call, length, content_filter or what the model said
	GenAISystemInstructions    = "gen_ai.system_instructions"     // JSON text: a list of parts
	GenAIInputMessages         = "gen_ai.input.messages"          // JSON text: a list of messages, each a role and parts
	GenAIOutputMessages        = "gen_ai.output.messages"         // JSON text: a list of one message
	GenAIToolDefinitions       = "gen_ai.tool.definitions"        // JSON text: a list of types and names
	GenAIToolName              = "gen_ai.tool.name"               // string
	GenAIToolType              = "gen_ai.tool.type"               // string: ToolFunction
	GenAIToolCallID            = "gen_ai.tool.call.id"            // string
	GenAIToolCallArguments     = "gen_ai.tool.call.arguments"     // JSON text, or plain text when they are no JSON
	GenAIToolCallResult        = "gen_ai.tool.call.result"        // JSON text, or plain text when it is no JSON
)

// Values of the attributes above.
const (
	OperationChat        = "chat"
	OperationExecuteTool = "execute_tool"
	ToolFunction         = "function"
)

// What was left out of recorded content. Each stands on the span that has the content; the numbers only when above 0.
const (
	GymContentEarlier  = "nemo.gym.content.earlier_messages" // int: messages of the input that earlier model calls of the rollout have recorded, before those here
	GymContentCut      = "nemo.gym.content.cut_bytes"        // int: bytes that were too many
	GymContentRedacted = "nemo.gym.content.redacted"         // int: values that were replaced by [REDACTED]

	GymContentFailed = "nemo.gym.content.failed" // an event: the content could not be recorded, which is a mistake of ours
)
