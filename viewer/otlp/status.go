package otlp

import "strconv"

// Status says how the work of a span ended.
type Status int32

// The status codes of OTLP.
const (
	StatusUnset Status = iota
	StatusOK
	StatusError
)

var statusNames = [...]string{"unset", "ok", "error"}

// String returns the name in lower case, "status(9)" for a number that OTLP does not know.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return "status(" + strconv.Itoa(int(s)) + ")"
	}
	return statusNames[s]
}
