package lenshttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

// Transport sends each request inside a CLIENT span of group g, with trace context and baggage of its context in the
// headers. A retry or a redirect is another request and another span.
//
// The caller's request is never changed: headers are written into a copy. A nil base is http.DefaultTransport as it is at
// the time of the request.
func Transport(g *lens.Group, base http.RoundTripper) http.RoundTripper {
	return &transport{g, base}
}

type transport struct {
	group *lens.Group
	next  http.RoundTripper
}

func (t *transport) base() http.RoundTripper {
	if t.next != nil {
		return t.next
	}
	return http.DefaultTransport
}

// CloseIdleConnections serves http.Client.CloseIdleConnections, which looks for it.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := StartClient(r.Context(), t.group, spanMethod(r.Method), r.Method, r.URL)
	if !span.Recording() {
		return t.base().RoundTrip(injected(ctx, r, false))
	}
	defer span.End()
	if n := resent(r); n > 0 {
		span.Int(semconv.HTTPRequestResendCount, n)
	}
	resp, err := t.base().RoundTrip(injected(ctx, r.WithContext(ctx), true))
	recordAttempt(ctx, span, resp, err)
	return resp, err
}

func recordAttempt(ctx context.Context, span lens.Span, resp *http.Response, err error) {
	if err != nil {
		recordFailure(ctx, span, err)
		return
	}
	if resp == nil {
		return // a mistake of the base, which http.Client reports
	}
	setProtocol(span, resp.ProtoMajor, resp.ProtoMinor)
	RecordClient(span, resp.StatusCode)
	if resp.StatusCode >= 400 {
		fail(span, resp.StatusCode)
	}
}

// recordFailure says why no answer came. A canceled request has errors of many types; what counts is that it was canceled. A
// url.Error, which a base that is a client itself gives, has the query in its text: recorded is what it wraps.
func recordFailure(ctx context.Context, span lens.Span, err error) {
	if u := (*url.Error)(nil); errors.As(err, &u) && u.Err != nil {
		err = u.Err
	}
	kind := setCanceled(ctx, span)
	if kind == "" {
		kind = fmt.Sprintf("%T", err)
	}
	span.Str(semconv.ErrorType, kind)
	span.Err(err)
}

// resent counts the redirects that led to r, as far as http.Client says.
func resent(r *http.Request) int {
	n := 0
	for resp := r.Response; resp != nil && resp.Request != nil; resp = resp.Request.Response {
		n++
	}
	return n
}

// injected gives the request, or a copy of it, with ctx as its context, when there was something to write.
func injected(ctx context.Context, r *http.Request, owned bool) *http.Request {
	c := headerOnWrite{ctx: ctx, request: r, owned: owned}
	lens.Inject(ctx, &c)
	return c.request
}

// headerOnWrite is a Carrier over the headers of a request that is not ours to change: it makes a copy at the first
// change.
type headerOnWrite struct {
	ctx     context.Context // of the copy
	request *http.Request
	owned   bool        // the request is a copy already, its headers are not
	header  http.Header // the copy
}

func (c *headerOnWrite) Get(key string) string      { return lens.Header(c.request.Header).Get(key) }
func (c *headerOnWrite) Values(key string) []string { return lens.Header(c.request.Header).Values(key) }
func (c *headerOnWrite) Keys() []string             { return lens.Header(c.request.Header).Keys() }

func (c *headerOnWrite) Set(key, value string) { c.write().Set(key, value) }

func (c *headerOnWrite) Del(key string) {
	if c.Values(key) != nil {
		c.write().Del(key)
	}
}

func (c *headerOnWrite) write() http.Header {
	if c.header == nil {
		c.header = c.request.Header.Clone()
		if c.header == nil {
			c.header = make(http.Header, 3)
		}
		if !c.owned {
			c.request = c.request.WithContext(c.ctx)
		}
		c.request.Header = c.header
	}
	return c.header
}

// StartClient starts the CLIENT span of a request; the name is the caller's: the method by the conventions. url.full has
// neither query nor user information. With g off it gives ctx as it is and the zero Span.
func StartClient(ctx context.Context, g *lens.Group, name, method string, u *url.URL) (context.Context, lens.Span) {
	ctx, span := g.StartKind(ctx, name, lens.Client)
	if span.Recording() {
		describeClient(span, method, u)
	}
	return ctx, span
}

func describeClient(span lens.Span, method string, u *url.URL) {
	setMethod(span, method)
	if u == nil {
		return
	}
	setServer(span, u.Host, u.Scheme)
	span.Str(semconv.URLFull, bareURL(u))
}

// bareURL is the URL as far as it may be on a span.
func bareURL(u *url.URL) string {
	bare := *u
	bare.User, bare.Host = nil, withoutUser(bare.Host)
	bare.Opaque = bareOpaque(bare.Opaque)
	bare.RawQuery, bare.ForceQuery = "", false
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}

// bareOpaque is bareURL for what a program has put together itself: "//user@host/path?query", "/path".
func bareOpaque(opaque string) string {
	opaque, _, _ = strings.Cut(opaque, "?")
	rest, ok := strings.CutPrefix(opaque, "//")
	if !ok {
		return opaque
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	return "//" + withoutUser(host) + path
}

// RecordClient writes http.response.status_code onto a CLIENT span. Which statuses are errors is the caller's rule.
func RecordClient(span lens.Span, status int) {
	span.Int(semconv.HTTPResponseStatusCode, status)
}
