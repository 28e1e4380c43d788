package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"

	userAgent = "OTel-OTLP-Exporter-Lens"

	// mostAnswer is how much of an answer is read, as the specification advises.
	mostAnswer = 4 << 20
)

// httpSender is OTLP over HTTP. It has connections of its own, so that its Close can close them.
type httpSender struct {
	target Target
	client http.Client
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
}

func newHTTP(t Target) (Sender, error) {
	dial := dialer.DialContext
	if t.URL.Scheme == "http" {
		dial = dialPlain
	}
	s := &httpSender{target: t, client: http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dial,
			TLSClientConfig:       t.TLS.Clone(), // it adds HTTP/2 to it
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          4,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ExpectContinueTimeout: time.Second,
		},
		// A redirected request may lose its body, and its headers would go to a host that nobody named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Close ends what is being sent and closes the connections. One that is being made closes when it is there: Send, which
// has asked for it, closes again.
func (s *httpSender) Close() {
	s.cancel()
	s.client.CloseIdleConnections()
}

// Send sends one request.
func (s *httpSender) Send(ctx context.Context, body []byte) (Answer, error) {
	if s.ctx.Err() != nil {
		return Answer{}, &Failure{Err: errClosed, Retry: true}
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	request, err := s.request(ctx, body)
	if err != nil {
		return Answer{}, refuse("%w", err)
	}
	answer, err := s.do(request)
	if s.ctx.Err() != nil {
		s.client.CloseIdleConnections()
	}
	return answer, err
}

var (
	errClosed  = errors.New("the exporter is closed")
	errTimeout = errors.New("the collector did not answer within OTEL_EXPORTER_OTLP_TIMEOUT")
)

// bound ends ctx with the sender and after the timeout.
func (s *httpSender) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	if s.target.Timeout <= 0 {
		return ctx, func() { stop(); cancel() }
	}
	ctx, end := context.WithTimeoutCause(ctx, s.target.Timeout, errTimeout)
	return ctx, func() { stop(); end(); cancel() }
}

func (s *httpSender) request(ctx context.Context, body []byte) (*http.Request, error) {
	media := typeProtobuf
	if s.target.Protocol == "http/json" {
		var err error
		if body, err = toJSON(s.target.Signal, body); err != nil {
			return nil, err
		}
		media = typeJSON
	}
	if s.target.Gzip {
		body = compress(body)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", userAgent)
	for name, values := range s.target.Header {
		r.Header[name] = values
		if name == "Host" {
			r.Host = values[0]
		}
	}
	r.Header.Set("Content-Type", media)
	if s.target.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	return r, nil
}

var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

func compress(body []byte) []byte {
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func (s *httpSender) do(r *http.Request) (Answer, error) {
	var left departure
	response, err := s.client.Do(r.WithContext(left.watch(r.Context())))
	if err != nil {
		return Answer{}, s.unanswered(r.Context(), err, &left)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	TellReply(r.Context(), func() *Reply { return replyOf(response, body) })
	if response.StatusCode/100 != 2 {
		return Answer{}, s.refused(response, body)
	}
	switch {
	case len(body) > mostAnswer:
		return Answer{}, refuse("%s answered %s with more than %d bytes", s.target, response.Status, mostAnswer)
	case err != nil: // it was taken; whether in part is not known
		return Answer{}, nil
	case mediaType(response) == typeJSON:
		return parseJSONAnswer(body), nil
	}
	return ParseAnswer(body), nil
}

// departure notices whether a request may have left as a whole, since a collector takes no half of one.
type departure struct {
	maybe atomic.Bool
	conn  atomic.Pointer[plainConn] // the last; nil when there is TLS
}

func (d *departure) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			d.maybe.Store(true)
			plain, _ := got.Conn.(*plainConn)
			d.conn.Store(plain)
		},
		WroteRequest: func(w httptrace.WroteRequestInfo) {
			if w.Err != nil {
				d.maybe.Store(false)
			}
		},
	})
}

// foreign says what is at the other end, when that is no HTTP. It is asked after a failure, which closes the connection, so
// that there is nothing to wait for long.
func (d *departure) foreign() error {
	conn := d.conn.Load()
	if conn == nil {
		return nil
	}
	<-conn.heard
	return conn.foreign
}

func mediaType(response *http.Response) string {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return media
}

// refused is the failure of an answer that is no success.
func (s *httpSender) refused(response *http.Response, body []byte) *Failure {
	f := refuse("%s answered %s", s.target, s.target.Quote(response.Status))
	switch r := replyOf(response, body); {
	case response.StatusCode/100 == 3 && r.Location != "":
		f.Err = fmt.Errorf("%w to %s; set the endpoint to where it really is", f.Err, s.target.Quote(redactURL(r.Location)))
	case strings.HasPrefix(r.Media, "application/grpc"):
		f.Err = fmt.Errorf("%w; %w", f.Err, errNoHTTP)
	case r.Text != "":
		f.Err = fmt.Errorf("%w: %s", f.Err, s.target.Quote(r.Text))
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		f.Retry = true
	case http.StatusBadGateway, http.StatusGatewayTimeout: // the answer of the collector behind it was lost, or bad
		f.Retry, f.MayHaveArrived = true, true
	}
	if f.Retry {
		f.After = retryAfter(response.Header.Get("Retry-After"), time.Now)
	}
	return f
}

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3); 0 when there is none.
func retryAfter(text string, now func() time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(min(max(n, 0), math.MaxInt32)) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(date.Sub(now()), 0)
	}
	return 0
}

// unanswered is the failure of a request that got no answer. It may be tried again.
func (s *httpSender) unanswered(ctx context.Context, err error, left *departure) *Failure {
	if foreign := left.foreign(); foreign != nil {
		return &Failure{Err: fmt.Errorf("%s: %w", s.target, foreign), Retry: true, Lasting: true}
	}
	if bare, ok := errors.AsType[*url.Error](err); ok { // its text has the URL with all that is in its query
		err = fmt.Errorf("%s %q: %w", bare.Op, s.target, bare.Err)
	}
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	if hint := hintOf(err); hint != "" {
		return &Failure{Err: fmt.Errorf("%w; %s", err, hint), Retry: true, Lasting: true}
	}
	return &Failure{Err: err, Retry: true, MayHaveArrived: left.maybe.Load()}
}

// hintOf says what would mend an error that comes again with every try.
func hintOf(err error) string {
	var mine *tls.CertificateVerificationError
	text := err.Error()
	switch {
	case strings.Contains(text, "malformed HTTP response"):
		return errNoHTTP.Error()
	case strings.Contains(text, "server gave HTTP response to HTTPS client"),
		strings.Contains(text, "first record does not look like a TLS handshake"):
		return "it speaks no TLS: does the endpoint begin with http://?"
	case errors.As(err, &mine), strings.Contains(text, "remote error: tls:"):
		return "see OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY"
	}
	return ""
}
