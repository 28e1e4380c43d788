// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Attributes of both ends.
const (
	// HTTPRequestMethod: string, stable. The method.
	HTTPRequestMethod = "http.request.method"

	// HTTPRequestMethodOriginal: string, stable. The method as it came, where it is not known.
	HTTPRequestMethodOriginal = "http.request.method_original"

	// HTTPResponseStatusCode: int, stable. The status of the answer.
	HTTPResponseStatusCode = "http.response.status_code"

	// ServerAddress: string, stable. The host that was asked.
	ServerAddress = "server.address"

	// ServerPort: int, stable. Its port.
	ServerPort = "server.port"

	// NetworkProtocolVersion: string, stable. The version of HTTP.
	NetworkProtocolVersion = "network.protocol.version"

	// ErrorType: string, stable. What kind of error it was: a status, the name of a code, the type of an error; in metrics
	// why something was lost.
	ErrorType = "error.type"
)

// Values of the attributes above.
const (
	// OtherMethod is a value of http.request.method. A method that the instrumentation does not know, so that a client
	// cannot make up values without end.
	OtherMethod = "_OTHER"
)

// Attributes of the end that asks.
const (
	// URLFull: string, stable. The URL, without query and user information.
	URLFull = "url.full"

	// HTTPRequestResendCount: int, stable. How often the request was sent again; only when above 0.
	HTTPRequestResendCount = "http.request.resend_count"
)

// Attributes of the end that answers.
const (
	// HTTPRoute: string, stable. The route that fits.
	HTTPRoute = "http.route"

	// URLPath: string, stable. The path that was asked for.
	URLPath = "url.path"

	// URLScheme: string, stable. http or https.
	URLScheme = "url.scheme"

	// ClientAddress: string, stable. Who asked.
	ClientAddress = "client.address"

	// UserAgentOriginal: string, stable. The program that asked, as it calls itself.
	UserAgentOriginal = "user_agent.original"
)
