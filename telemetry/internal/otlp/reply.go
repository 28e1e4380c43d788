package otlp

import (
	"bytes"
	"net/http"
	"strings"
	"time"
)

// Reply is an answer as it came, for who wants to know why a request was not taken.
type Reply struct {
	Status    int    // of HTTP; 0 over gRPC
	Code      string // of gRPC, such as Unauthenticated; empty over HTTP
	Media     string // the type of its text
	Server    string // who says that it answers
	Location  string // of a redirect
	Challenge string // which credentials it asks for, such as Bearer
	Date      time.Time
	Text      string // what it says, bounded
}

// replyOf reads the answer of a collector, or of who stands before it.
func replyOf(response *http.Response, body []byte) *Reply {
	media := mediaType(response)
	if media == typeProtobuf {
		body = field(body, 2) // google.rpc.Status: its message
	}
	r := &Reply{
		Status:   response.StatusCode,
		Media:    media,
		Server:   Excerpt([]byte(response.Header.Get("Server"))),
		Location: Excerpt([]byte(response.Header.Get("Location"))),
		Text:     Excerpt(bytes.TrimSpace(body)),
	}
	r.Challenge, _, _ = strings.Cut(strings.TrimSpace(response.Header.Get("WWW-Authenticate")), " ")
	r.Challenge = Excerpt([]byte(r.Challenge))
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		r.Date = date
	}
	return r
}
