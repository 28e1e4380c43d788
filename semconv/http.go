package semconv

// Attributes of HTTP spans (OpenTelemetry HTTP conventions, stable).
const (
	HTTPRequestMethod         = "http.request.method"
	HTTPRequestMethodOriginal = "http.request.method_original"
	HTTPResponseStatusCode    = "http.response.status_code"
	HTTPRoute                 = "http.route"
	HTTPRequestResendCount    = "http.request.resend_count" // int, above 0: how often the request was sent again
	URLFull                   = "url.full"                  // without query and user information
	URLPath                   = "url.path"
	URLScheme                 = "url.scheme"
	ServerAddress             = "server.address"
	ServerPort                = "server.port"
	ClientAddress             = "client.address"
	NetworkProtocolVersion    = "network.protocol.version"
	UserAgentOriginal         = "user_agent.original"
	ErrorType                 = "error.type"
)

// OtherMethod stands for a method that the instrumentation does not know, so that a client cannot make up values without
// end. It is a value of [HTTPRequestMethod] and of [RPCMethod].
const OtherMethod = "_OTHER"
