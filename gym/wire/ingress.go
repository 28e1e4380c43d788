package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// statusClientGone is what the log and the span say when nobody is there any more to read a status.
const statusClientGone = 499

// errStopping is the cause of a handler's cancellation when the server's grace is over.
var errStopping = errors.New("the server is stopping")

// exchange is one request on its way through the server.
type exchange struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	path    string // without the rollout prefix
	rollout string // of the rollout prefix
	cookies Cookies
	session string
	ctx     context.Context // for the log: the request's, then that of its span
	fresh   bool            // the session was just begun

	endpoint endpoint
	refusal  *Reply // instead of an endpoint
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, capture, path := stripRollout(r.URL.Path)
	x := &exchange{s: s, w: w, r: r, path: path, rollout: id, cookies: parseCookies(r.Header["Cookie"])}
	x.session, x.fresh = s.session(x.cookies)
	var allow string
	if x.endpoint, x.refusal, allow = s.find(r.Method, path); allow != "" {
		w.Header()["Allow"] = []string{allow}
	}
	if x.endpoint.health {
		reply, _ := x.endpoint.serve(r.Context(), nil)
		x.write(reply)
		return
	}
	ctx := lenshttp.Extract(r.Context(), r.Header)
	ctx = context.WithValue(ctx, inboundKey{}, &inbound{server: s.name, rollout: id, capture: capture})
	x.ctx = ctx
	defer x.recovered()
	x.traced(ctx)
}

// traced answers the request inside its SERVER span.
func (x *exchange) traced(ctx context.Context) {
	ctx, span := lenshttp.StartServer(ctx, telemetry.Server, x.spanName(), x.r)
	x.ctx = ctx
	out := outcome{status: http.StatusInternalServerError, panicked: true} // what a panic leaves
	began := time.Now()
	metrics.Gym.RequestsInFlight(ctx, x.s.name, 1)
	defer span.End() // records a panic and lets it go on, to recovered
	defer func() {
		x.record(span, out)
		metrics.Gym.RequestsInFlight(ctx, x.s.name, -1)
		metrics.Gym.Request(ctx, x.methodLabel(), x.route(), out.status, time.Since(began))
		if v := recover(); v != nil {
			panic(fitPanic(v))
		}
	}()
	out = x.answer(ctx)
}

// methodLabel keeps a metric's methods to a few values.
func (x *exchange) methodLabel() string {
	if method := knownMethod(x.r.Method); method == x.r.Method {
		return method
	}
	return semconv.OtherMethod
}

// outcome is how a request ended.
type outcome struct {
	status   int
	err      error // why the status is a 5xx
	panicked bool
}

// answer calls the handler and sends what comes of it.
func (x *exchange) answer(ctx context.Context) outcome {
	reply, err := x.handle(ctx)
	if clientGone(ctx, err) {
		if err == nil {
			err = context.Cause(ctx) // the handler did not notice
		}
		x.w.WriteHeader(statusClientGone)
		x.log(ctx, slog.LevelInfo, "client went away", statusClientGone, err)
		return outcome{status: statusClientGone}
	}
	if err == nil {
		return outcome{status: x.write(reply)}
	}
	err = blameStop(ctx, err)
	status := x.write(x.s.errorReply(x.r.Method, x.path, err))
	if status < http.StatusInternalServerError {
		return outcome{status: status}
	}
	x.log(ctx, slog.LevelError, "cannot serve request", status, err)
	return outcome{status: status, err: err}
}

// fitPanic returns the value of a panic as it may stand on a span: as it is, unless its text is too long or private.
func fitPanic(v any) any {
	if err, ok := v.(error); ok {
		return SpanError(err)
	}
	if text := fmt.Sprint(v); len(text) > maxSpanText {
		return cutText(text, maxSpanText)
	}
	return v
}

// record writes the outcome onto the SERVER span. A 5xx or a panic is an error, with the cause where there is one.
func (x *exchange) record(span lens.Span, out outcome) {
	if !span.Recording() {
		return
	}
	if out.err == nil && !out.panicked {
		lenshttp.RecordServer(span, x.route(), out.status)
		return
	}
	lenshttp.RecordServer(span, x.route(), 0)
	span.Int(semconv.HTTPResponseStatusCode, out.status)
	span.Str(semconv.ErrorType, strconv.Itoa(out.status))
	span.Err(SpanError(out.err))
}

// handle reads the request and calls its handler.
func (x *exchange) handle(ctx context.Context) (*Reply, error) {
	if x.refusal != nil {
		return x.refusal, nil
	}
	body, err := readRequest(ctx, x.w, x.r, x.s.maxBody, x.s.bodyIdle)
	if err != nil {
		return nil, x.bodyError(ctx, err)
	}
	return x.endpoint.serve(ctx, &Request{
		Method:  x.r.Method,
		Host:    x.r.Host,
		Path:    x.path,
		Header:  x.r.Header,
		Body:    body,
		Cookies: x.cookies,
		Session: x.session,
		Fresh:   x.fresh,
	})
}

func (x *exchange) bodyError(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errStopping):
		return errStopping
	case errors.Is(err, errTooLarge):
		x.w.Header()["Connection"] = []string{"close"} // the rest of the body is still on its way
		return &HTTPError{
			Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("The request body is larger than %d bytes", x.s.maxBody),
		}
	case connectionLost(err):
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return &HTTPError{Status: http.StatusBadRequest, Detail: "There was an error reading the body: " + err.Error()}
}

// write sends a reply, with the session cookie that stands on every one, and returns its status.
func (x *exchange) write(reply *Reply) int {
	if reply == nil {
		reply = &Reply{}
	}
	status, body := reply.Status, reply.Body
	if status == 0 {
		status = http.StatusOK
		if len(body) == 0 && reply.ContentType == "" {
			body = []byte("null")
		}
	}
	if status < 200 || status > 599 {
		body = failure(fmt.Sprintf("%s cannot answer with status %d", x.s.name, status)).Body
		status = http.StatusInternalServerError
	}
	h := x.w.Header()
	h["Content-Type"] = []string{orElse(reply.ContentType, "application/json")}
	h["Set-Cookie"] = x.setCookies(reply.Cookies)
	if status != http.StatusNoContent && status != http.StatusNotModified {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	x.w.WriteHeader(status)
	x.w.Write(body) // a failure means that the client has left, and nobody is there to tell
	return status
}

// setCookies are the lines of Set-Cookie: the forwarded cookies, then this server's own.
func (x *exchange) setCookies(forwarded Cookies) []string {
	lines := make([]string, 0, len(forwarded)+1)
	for _, text := range forwarded {
		if cookieName(text) != x.s.cookie {
			lines = append(lines, text+"; path=/; SameSite=lax")
		}
	}
	return append(lines, x.s.cookie+"="+x.session+sessionAttributes)
}

// recovered turns a handler's panic into a 500 and one line in the log.
func (x *exchange) recovered() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	x.s.logger().LogAttrs(x.ctx, slog.LevelError, "handler panicked",
		append(x.logAttrs(http.StatusInternalServerError), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))...)
	cause := cutText(fmt.Sprint(v), maxErrorBody)
	x.write(failure(fmt.Sprintf("%s cannot serve %s %s: panic: %s", x.s.name, x.r.Method, x.path, cause)))
}

func (x *exchange) log(ctx context.Context, level slog.Level, msg string, status int, err error) {
	x.s.logger().LogAttrs(ctx, level, msg, append(x.logAttrs(status), slog.Any("error", err))...)
}

func (x *exchange) logAttrs(status int) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("server", x.s.name),
		slog.String("type", x.s.kind),
		slog.String("method", x.r.Method),
		slog.String("path", x.path),
		slog.Int("status", status),
	}
	if x.rollout != "" {
		attrs = append(attrs, slog.String("rollout", x.rollout))
	}
	return attrs
}

// spanName is the method and the route's template; the path of an unknown route is anybody's and names nothing.
func (x *exchange) spanName() string {
	if x.endpoint.span != "" {
		return x.endpoint.span
	}
	return knownMethod(x.r.Method)
}

// route is the path of the route, "" when none fits.
func (x *exchange) route() string {
	if x.endpoint.span != "" {
		return x.path
	}
	return ""
}

// clientGone reports whether nobody waits for the answer. The context tells it once the body is read; before that, the
// body's end does.
func clientGone(ctx context.Context, err error) bool {
	if errors.Is(err, errClientGone) {
		return true
	}
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errStopping)
}

// blameStop says in an error that the server's stop was its cause, where it was.
func blameStop(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStopping) && !errors.Is(err, errStopping) {
		return fmt.Errorf("%w: %w", errStopping, err)
	}
	return err
}

// knownMethod keeps a span's name to a few values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	}
	return "HTTP"
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
