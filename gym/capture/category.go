package capture

import "github.com/lensgo/lens/gym/responses"

// Categories of what goes wrong with a call.
const (
	Timeout         = "timeout"
	RateLimit       = "rate_limit"
	Auth            = "auth"
	NotFound        = "not_found"
	ClientError     = "client_error"
	UpstreamError   = "upstream_error"
	Connection      = "connection"          // no answer came
	Exception       = "exception"           // something in the model server
	StreamTruncated = "stream_truncated"    // an answer stopped in the middle
	ParseError      = "capture_parse_error" // the answer is no JSON object
	Cancelled       = "cancelled"           // the caller has left
)

// CategoryOf is the category of a status; "" below 400.
func CategoryOf(status int) string {
	switch {
	case status < 400:
		return ""
	case status == 408, status == 504:
		return Timeout
	case status == 429:
		return RateLimit
	case status == 401, status == 403:
		return Auth
	case status == 404:
		return NotFound
	case status < 500:
		return ClientError
	}
	return UpstreamError
}

// Finish is why the model stopped, in the words of the answer's dialect; of a Responses answer that was not cut short it is
// the status.
func Finish(answer responses.Object) string {
	if reason := finish(answer); reason != nil {
		return *reason
	}
	status, _ := answer.String("status")
	return status
}
