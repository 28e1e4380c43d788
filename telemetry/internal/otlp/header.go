package otlp

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// header reads the headers. A value that is nearly one is an error, since it is as a rule a key without which nothing is
// taken; the message never holds it.
func (s Signal) header(protocol string, log *slog.Logger) (http.Header, error) {
	variable, text := s.setting("HEADERS")
	r := headerReader{variable: variable, protocol: protocol, log: log, header: http.Header{}}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		r.number++
		if err := r.add(pair); err != nil {
			return nil, err
		}
	}
	return r.header, nil
}

// headerReader collects the headers of a variable.
type headerReader struct {
	variable string
	protocol string
	log      *slog.Logger
	number   int // of the pair
	header   http.Header
}

func (r *headerReader) add(pair string) error {
	name, value, ok := strings.Cut(pair, "=")
	name = strings.TrimSpace(name)
	if !ok {
		if before, _, colon := strings.Cut(pair, ":"); colon {
			return fmt.Errorf("%s: header %s has a colon behind its name; write name=value, with a comma between two, and %%2C for a comma in a value",
				r.variable, r.called(before))
		}
		r.log.Warn("telemetry: a header has no value and is left out; write name=value, and %2C for a comma in a value",
			"variable", r.variable, "number", r.number)
		return nil
	}
	if !isToken(name) || r.protocol == GRPC && !isKey(name) {
		r.log.Warn("telemetry: what stands for the name of a header can be none, and it is left out",
			"variable", r.variable, "header", r.called(name))
		return nil
	}
	decoded, err := url.PathUnescape(value)
	if err != nil {
		return fmt.Errorf("%s: the value of header %q does not decode; write a percent sign as %%25", r.variable, name)
	}
	decoded = strings.TrimSpace(decoded)
	if !r.carries(decoded) {
		return fmt.Errorf("%s: the value of header %q has a character that no header over %s can have", r.variable, name, r.protocol)
	}
	r.header[http.CanonicalHeaderKey(name)] = []string{decoded}
	return nil
}

// called is the name of the pair, unless it may be a part of a value, which nobody may read in a log: what follows a comma
// may be the rest of one.
func (r *headerReader) called(name string) string {
	name = strings.TrimSpace(name)
	if r.number > 1 || !isToken(name) {
		return fmt.Sprintf("number %d", r.number)
	}
	return strconv.Quote(name)
}

// isToken reports whether a text can be the name of a header (RFC 9110, section 5.6.2). A percent sign can be part of it.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return text != ""
}

// isKey reports whether a name can be one of gRPC's metadata, where one that cannot fails every call.
func isKey(name string) bool {
	return strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// carries reports whether the protocol's headers can have the value.
func (r *headerReader) carries(value string) bool {
	for _, c := range []byte(value) {
		if c < ' ' && c != '\t' || c == 0x7f || r.protocol == GRPC && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}
