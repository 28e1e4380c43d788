package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// Do makes a call and reads the whole answer, whatever its status is; see [Result.Err]. The error is for calls to which
// no whole answer came; it names server, path and cause. When ctx or the call's timeout was the cause, errors.Is finds
// context.Canceled or context.DeadlineExceeded in it.
func (c *Client) Do(ctx context.Context, call Call) (*Result, error) {
	if call.Method == "" {
		call.Method = http.MethodPost
	}
	addr, err := c.address(call)
	if err != nil {
		return nil, fmt.Errorf("cannot call %s %s: %w", call.Method, call.Path, err)
	}
	timeout := call.Timeout
	if timeout <= 0 {
		timeout = c.timeout
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, timeoutError(timeout))
		defer cancel()
	}
	res, seen, err := c.send(ctx, call, addr)
	defer seen.end()
	if err == nil {
		var body []byte
		if body, err = readAnswer(ctx, res, call, c.maxBody); err == nil {
			answer := &Result{
				Status:  res.StatusCode,
				Header:  res.Header,
				Body:    body,
				Cookies: setCookies(res.Header["Set-Cookie"]),
				server:  addr.server, method: call.Method, path: addr.path,
			}
			seen.by(call.Observe, answer)
			return answer, nil
		}
		err = fmt.Errorf("answer %d: %w", res.StatusCode, err)
	}
	seen.by(call.Observe, nil)
	err = fmt.Errorf("cannot call %s %s on %s: %w", call.Method, addr.path, addr.server, blameContext(ctx, err))
	if _, large := errors.AsType[*BodyTooLargeError](err); addr.inside && !large && ctx.Err() == nil {
		err = &NoAnswerError{Server: addr.server, err: err}
	}
	return nil, err
}

// observed is the span of a call that somebody wants to look at once the answer is whole. It is over, and stays open only for
// their attributes. The zero value is no such span.
type observed struct {
	span lens.Span
	over time.Time
}

func (o observed) by(observe func(lens.Span, *Result), answer *Result) {
	if o.span.Recording() {
		observe(o.span, answer)
	}
}

func (o observed) end() { o.span.EndAt(o.over) }

// send sends the request, as often as it may be sent, inside one CLIENT span, and returns when the headers of the answer
// are there.
func (c *Client) send(ctx context.Context, call Call, addr address) (*http.Response, observed, error) {
	var span lens.Span
	if !call.Quiet {
		ctx, span = lenshttp.StartClient(ctx, telemetry.HTTPClient, spanName(call.Method), call.Method, addr.url)
	}
	if call.Observe == nil {
		defer span.End()
	}
	res, err := c.sendIn(ctx, span, call, addr)
	if call.Observe == nil {
		return res, observed{}, err
	}
	return res, observed{span, time.Now()}, err
}

// sendIn is send inside the span.
func (c *Client) sendIn(ctx context.Context, span lens.Span, call Call, addr address) (*http.Response, error) {
	header := outgoing(ctx, call, addr)
	limited := addr.transport != nil && addr.transport.MaxConnsPerHost > 0
	if !span.Recording() && !(limited && metrics.Gym.PoolObserved(ctx)) {
		return c.attempts(ctx, call, addr, header, nil)
	}
	if span.Recording() {
		if id := RolloutID(ctx); id != "" {
			span.Str(semconv.GymRolloutID, id)
		}
	}
	watch := &watch{ctx: ctx, limited: limited}
	if addr.inside {
		watch.server = addr.server
	}
	res, err := c.attempts(httptrace.WithClientTrace(ctx, watch.trace()), call, addr, header, watch)
	resent, waited := watch.result()
	if resent > 0 {
		span.Int(semconv.HTTPRequestResendCount, resent)
	}
	if waited > 0 {
		span.Float(semconv.GymWaitPool, waited.Seconds()*1e3)
	}
	if err != nil {
		if span.Recording() {
			span.Err(SpanError(blameContext(ctx, err)))
		}
		return nil, err
	}
	lenshttp.RecordClient(span, res.StatusCode)
	return res, nil
}

// attempts sends the request until an answer comes, it may not be sent again, or the budget for that is used up. w is
// nil when nobody watches.
func (c *Client) attempts(ctx context.Context, call Call, addr address, header http.Header, w *watch) (*http.Response, error) {
	since := time.Now()
	var last error
	for n := 1; ; n++ {
		w.attempt()
		res, err := c.roundTrip(addr, request(ctx, call, addr, header))
		if err == nil {
			return res, nil
		}
		if ctx.Err() != nil && last != nil {
			return nil, last // err only says that the context ended; why it came to that is said by the attempt before
		}
		dialling := isDial(err)
		if ctx.Err() != nil || !dialling && call.Method != http.MethodGet {
			return nil, lost(err)
		}
		last = fmt.Errorf("%w (tried %d times)", lost(err), n)
		if n == 1 && !dialling {
			since = time.Now() // however long the server took to break
		}
		if !c.resend.wait(ctx, n, since) {
			return nil, last
		}
	}
}

// isDial reports whether err means that no connection came about, so that no byte can have reached the server.
func isDial(err error) bool {
	var dial *dialError
	return errors.As(err, &dial)
}

// lost puts into words what net/http calls EOF.
func lost(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the connection ended before an answer came: %w", err)
	}
	return err
}

// request builds the request of one attempt.
//
// The transport itself replays a request on another connection when the one it took from the pool turns out to be dead:
// a POST only if not one byte of it was written, and for that it needs GetBody. It would also replay a POST that was
// written, if the header had an idempotency key in the usual spelling; see outgoing.
func request(ctx context.Context, call Call, addr address, header http.Header) *http.Request {
	r := &http.Request{
		Method:     call.Method,
		URL:        addr.url,
		Host:       addr.url.Host,
		Header:     header,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Body:       http.NoBody,
	}
	switch {
	case call.Stream != nil:
		r.ContentLength = call.Stream.Length
		r.Body = io.NopCloser(call.Stream.Open())
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(call.Stream.Open()), nil }
	case len(call.Body) > 0:
		r.ContentLength = int64(len(call.Body))
		r.Body = io.NopCloser(bytes.NewReader(call.Body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(call.Body)), nil }
	}
	return r.WithContext(ctx)
}

// outgoing returns the headers of a call: its own, the cookies and the context of the trace.
func outgoing(ctx context.Context, call Call, addr address) http.Header {
	h := make(http.Header, len(call.Header)+6)
	for k, v := range call.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	if (len(call.Body) > 0 || call.Stream != nil) && h["Content-Type"] == nil {
		h["Content-Type"] = jsonContent
	}
	if len(call.Cookies) > 0 {
		h["Cookie"] = []string{call.Cookies.header()}
	}
	if user := addr.url.User; user != nil && h["Authorization"] == nil {
		password, _ := user.Password()
		(&http.Request{Header: h}).SetBasicAuth(user.Username(), password)
	}
	lenshttp.Inject(ctx, h)
	if !addr.inside {
		dropMark(h)
	}
	// net/http takes these, spelled so, for a permission to replay a POST that the server may have begun. On the wire
	// letter case means nothing.
	for _, key := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if v, ok := h[key]; ok {
			delete(h, key)
			h[strings.ToLower(key)] = v
		}
	}
	return h
}

var jsonContent = []string{"application/json"}

// dropMark takes the run's mark out of the baggage: it is for the servers of the run, and nobody else's business.
func dropMark(h http.Header) {
	lines := h["Baggage"]
	if len(lines) == 0 {
		return
	}
	var kept []string
	for member := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		key, _, _ := strings.Cut(member, "=")
		if trimBlank(key) != semconv.GymRolloutID {
			kept = append(kept, member)
		}
	}
	if len(kept) == 0 {
		delete(h, "Baggage")
		return
	}
	h["Baggage"] = []string{strings.Join(kept, ",")}
}

// readAnswer reads the whole body of an answer.
func readAnswer(ctx context.Context, res *http.Response, call Call, limit int64) ([]byte, error) {
	defer res.Body.Close()
	length := res.ContentLength
	if call.Method == http.MethodHead {
		length = 0
	}
	if call.Room != nil {
		if err := call.Room(ctx, length); err != nil {
			return nil, fmt.Errorf("there was no room for the body: %w", err)
		}
	}
	body, err := readBody(res.Body, length, limit)
	if errors.Is(err, errTooLarge) {
		return nil, &BodyTooLargeError{Max: limit}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the body: %w", err)
	}
	return body, nil
}

// blameContext makes an error say that the context's end was the cause, where it was, and what stood in the way then.
func blameContext(ctx context.Context, err error) error {
	ended := ctx.Err()
	if err == nil || ended == nil {
		return err
	}
	cause := context.Cause(ctx)
	known := errors.Is(err, ended) || errors.Is(err, cause)
	if !errors.Is(cause, ended) {
		cause = fmt.Errorf("%w: %w", ended, cause)
	}
	if known {
		return cause
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// timeoutError is the cause of a call's end by its own timeout.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("no whole answer within %v", time.Duration(e))
}
func (e timeoutError) Unwrap() error { return context.DeadlineExceeded }
func (e timeoutError) Timeout() bool { return true }

// spanName is the name of a CLIENT span.
func spanName(method string) string {
	switch method {
	case http.MethodPost:
		return semconv.SpanHTTPPost
	case http.MethodGet:
		return semconv.SpanHTTPGet
	}
	return "HTTP " + knownMethod(method)
}
