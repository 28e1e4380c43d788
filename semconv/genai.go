// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// What was said to a model and by it, and the calls of tools (OpenTelemetry GenAI conventions, in development:
// https://github.com/open-telemetry/semantic-conventions-genai). Written only when content is recorded. JSON is text.
const (
	// GenAIOperationName: string, development. What the call is.
	GenAIOperationName = "gen_ai.operation.name"

	// GenAIRequestModel: string, development. The model that the request names.
	GenAIRequestModel = "gen_ai.request.model"

	// GenAIResponseModel: string, development. The model that the answer names.
	GenAIResponseModel = "gen_ai.response.model"

	// GenAIResponseFinishReasons: string[], development. What ended the answer, one: stop, tool_call, length,
	// content_filter, error or what the model said.
	GenAIResponseFinishReasons = "gen_ai.response.finish_reasons"

	// GenAISystemInstructions: string, development. The instructions of the request, in JSON: a list of parts.
	GenAISystemInstructions = "gen_ai.system_instructions"

	// GenAIInputMessages: string, development. What is new in the input, in JSON: a list of messages, each a role and
	// parts.
	GenAIInputMessages = "gen_ai.input.messages"

	// GenAIOutputMessages: string, development. The answer, in JSON: a list of one message.
	GenAIOutputMessages = "gen_ai.output.messages"

	// GenAIToolDefinitions: string, development. The tools of the request, in JSON: a list of types and names.
	GenAIToolDefinitions = "gen_ai.tool.definitions"

	// GenAIToolName: string, development. The tool that is called.
	GenAIToolName = "gen_ai.tool.name"

	// GenAIToolType: string, development. What kind of tool it is.
	GenAIToolType = "gen_ai.tool.type"

	// GenAIToolCallID: string, development. The model's id of the call.
	GenAIToolCallID = "gen_ai.tool.call.id"

	// GenAIToolCallArguments: string, development. The arguments as the model wrote them, JSON or, when they are none,
	// plain text.
	GenAIToolCallArguments = "gen_ai.tool.call.arguments"

	// GenAIToolCallResult: string, development. What came back, JSON or, when it is none, plain text.
	GenAIToolCallResult = "gen_ai.tool.call.result"
)

// Values of the attributes above.
const (
	// OperationChat is a value of gen_ai.operation.name. A model call.
	OperationChat = "chat"

	// OperationExecuteTool is a value of gen_ai.operation.name. A tool call.
	OperationExecuteTool = "execute_tool"

	// ToolFunction is a value of gen_ai.tool.type. A function.
	ToolFunction = "function"
)

// What was left out of recorded content. Each stands on the span that has the content; the numbers only when above 0.
const (
	// GymContentEarlier: int, development. Messages of the input that earlier model calls of the rollout have recorded,
	// before those here.
	GymContentEarlier = "nemo.gym.content.earlier_messages"

	// GymContentCut: int, development. Bytes that were too many.
	GymContentCut = "nemo.gym.content.cut_bytes"

	// GymContentRedacted: int, development. Values that were replaced by [REDACTED].
	GymContentRedacted = "nemo.gym.content.redacted"
)

// What became of the recording.
const (
	// GymContentFailed: event, development. The content could not be recorded, which is a mistake of ours.
	GymContentFailed = "nemo.gym.content.failed"
)
