package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens"
)

// Request is what a handler gets. Its body and header belong to the handler.
type Request struct {
	Method  string
	Host    string      // the server as the client names it, with the port where it does
	Path    string      // without the rollout prefix
	Header  http.Header // as it came
	Body    []byte      // whole; nil when there was none
	Cookies Cookies     // all that came, raw, this server's own among them
	Session string      // this server's session: of the request, or just begun
	Fresh   bool        // the session was just begun: the client brought none
}

// Reply is what a handler gives back. The zero value, like a nil *Reply, answers 200 with the JSON value null.
type Reply struct {
	Status      int     // 0 is 200
	ContentType string  // "" is application/json
	Body        []byte  // empty is null when both Status and ContentType are unset
	Cookies     Cookies // of other servers, to be set on the reply beside this server's own session
}

// HandlerFunc answers one request. Its context ends when the client leaves and when the server's stop runs out of grace,
// and carries the caller's trace context and the SERVER span. An error becomes a reply: [responses.FieldErrors] 422,
// [HTTPError] what it says, anything else, a [StatusError] of an inner call among them, 500.
type HandlerFunc func(ctx context.Context, r *Request) (*Reply, error)

// JSON returns a reply with v in JSON, maps in the order of their keys.
func JSON(v any) (*Reply, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("cannot encode a reply of type %T: %w", v, err)
	}
	return &Reply{Body: b}, nil
}

// Call is one call of a [Client].
type Call struct {
	Server  string        // the instance to call, one of ClientOptions.Servers: a call inside the run
	URL     string        // or a full URL: a call that leaves the run, without the run's mark
	Method  string        // "" is POST
	Path    string        // of the server, from "/"; plain text, escaped on the wire. Not used with URL
	Body    []byte        // sent as application/json, unless Header says otherwise; it must not change, even after the call
	Cookies Cookies       // sent as they are
	Stream  *Stream       // a body in the place of Body that is not in memory as a whole; nil: Body
	Header  http.Header   // further headers; not changed by the call
	Timeout time.Duration // for the whole call with its answer; 0 is the client's; a shorter one of ctx wins
	Quiet   bool          // no span: health probes

	// Observe, when not nil, is called once with the CLIENT span if that records: after the whole answer came, or with nil
	// when none came. It may set attributes. The span still ends at the headers of the answer. Observe must not change the
	// result nor keep it.
	Observe func(span lens.Span, answer *Result)

	// Room, when not nil, is asked before the body of an answer is read, which has that many bytes, or -1 when the answer does not say. It
	// may wait until there is room for them; an error ends the call. Meanwhile the body stays with the server.
	Room func(ctx context.Context, length int64) error
}

// Stream is a body that is read while it is sent.
type Stream struct {
	Length int64            // in bytes
	Open   func() io.Reader // called each time that the request is sent; what was opened may be read until the call's end, and a little longer
}

// Result is an answer, of any status.
type Result struct {
	Status  int
	Header  http.Header
	Body    []byte
	Cookies Cookies // of Set-Cookie: the raw texts before the first semicolon

	server, method, path string
}

// Err returns nil for a 2xx, else a *[StatusError].
func (r *Result) Err() error {
	if r.Status >= 200 && r.Status < 300 {
		return nil
	}
	return &StatusError{Server: r.server, Method: r.method, Path: r.path, Status: r.Status, Body: r.Body}
}
