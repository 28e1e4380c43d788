package lenshttp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/callctx"
	"github.com/lensgo/lens/semconv"
)

// Handler adopts trace context and baggage of each request and runs next inside a SERVER span of group g.
//
// It wraps a whole http.ServeMux or one handler of it; the span takes its name and http.route from the request's
// Pattern, which the mux sets on the request that it was given, and Handler on the one that it was given itself. A middleware
// in between that hands the mux a copy hides the pattern, and routers of others set none: then [SetRoute] says it, or the
// span is named by the method alone.
//
// The ResponseWriter that next sees has Flush, Hijack and Push where the original has them, ReadFrom (sendfile) and
// WriteString, and Unwrap for http.ResponseController. Nothing is buffered. A panic goes on as it is, http.ErrAbortHandler
// too. A nil next is http.DefaultServeMux.
func Handler(g *lens.Group, next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	return &handler{g, next}
}

type handler struct {
	group *lens.Group
	next  http.Handler
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := Extract(r.Context(), r.Header)
	ctx, span := StartServer(ctx, h.group, h.name(r), r)
	if span.Recording() {
		h.traced(ctx, span, w, r)
		return
	}
	if callctx.Same(ctx, r.Context()) {
		h.next.ServeHTTP(w, r)
		return
	}
	inner := r.WithContext(ctx)
	defer handBack(r, inner)
	h.next.ServeHTTP(w, inner)
}

// handBack gives the request that came the pattern that a mux has found for its copy: what is around the handler reads it
// there, as it does around a mux.
func handBack(came, inner *http.Request) { came.Pattern = inner.Pattern }

// name is what is known before routing. Text is put together only for a span.
func (h *handler) name(r *http.Request) string {
	if h.group.Enabled() {
		return serverName(r.Method, route(r.Pattern))
	}
	return r.Method
}

func (h *handler) traced(ctx context.Context, span lens.Span, w http.ResponseWriter, r *http.Request) {
	defer span.End()
	rec := &response{ResponseWriter: w}
	inner := r.WithContext(context.WithValue(ctx, responseKey{}, rec))
	defer handBack(r, inner)
	defer rec.record(span, inner)
	h.next.ServeHTTP(rec.wrap(), inner)
	rec.returned()
}

// record writes what the handler left behind. It is deferred directly, so that it sees a panic; the span's own End marks
// the span with it and lets it go on.
func (w *response) record(span lens.Span, r *http.Request) {
	p := recover()
	route := route(r.Pattern)
	if said := w.route.Load(); said != nil {
		route = *said
	}
	if route != "" {
		span.SetName(serverName(r.Method, route))
	}
	RecordServer(span, route, w.status)
	setCanceled(r.Context(), span)
	if p != nil {
		span.Str(semconv.ErrorType, fmt.Sprintf("%T", p))
		panic(p)
	}
}

// responseKey is where the context has the *response.
type responseKey struct{}

// SetRoute says which route a request took, for routers other than http.ServeMux, and for one behind a middleware that
// copies the request. It wins over the request's Pattern. The pattern is one of http.ServeMux or a path with
// placeholders, never the path of the request itself; the text up to the first slash does not count.
//
//	func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
//		rt.mux.ServeHTTP(w, r)
//		lenshttp.SetRoute(r.Context(), r.Pattern)
//	}
//
// The span is that of the innermost [Handler] around ctx, while its handler runs. Without one, or with its group off, it does
// nothing. It is safe for concurrent use.
func SetRoute(ctx context.Context, pattern string) {
	w, ok := ctx.Value(responseKey{}).(*response)
	if path := route(pattern); ok && path != "" {
		w.route.Store(&path)
	}
}

// StartServer starts the SERVER span of a request. ctx is already extracted (see [Extract]) and the name is the
// caller's: "METHOD route" by the conventions. With g off it gives ctx as it is and the zero Span.
func StartServer(ctx context.Context, g *lens.Group, name string, r *http.Request) (context.Context, lens.Span) {
	ctx, span := g.StartKind(ctx, name, lens.Server)
	if span.Recording() {
		describeServer(span, r)
	}
	return ctx, span
}

func describeServer(span lens.Span, r *http.Request) {
	setMethod(span, r.Method)
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	span.Str(semconv.URLScheme, scheme)
	if r.URL != nil {
		span.Str(semconv.URLPath, r.URL.Path)
	}
	setServer(span, r.Host, scheme)
	if client, _ := splitHostPort(r.RemoteAddr); client != "" {
		span.Str(semconv.ClientAddress, client)
	}
	setProtocol(span, r.ProtoMajor, r.ProtoMinor)
	if ua := r.UserAgent(); ua != "" {
		span.Str(semconv.UserAgentOriginal, ua)
	}
}

// RecordServer writes the answer onto a SERVER span: http.route unless it is "", http.response.status_code unless the
// status is 0 (none was sent: a panic, a hijacked connection), and ERROR from 500 on.
func RecordServer(span lens.Span, route string, status int) {
	if !span.Recording() {
		return
	}
	if route != "" {
		span.Str(semconv.HTTPRoute, route)
	}
	if status != 0 {
		span.Int(semconv.HTTPResponseStatusCode, status)
	}
	if status >= 500 {
		fail(span, status)
	}
}

// serverName is the span name: "METHOD route", or the method alone.
func serverName(method, route string) string {
	m := spanMethod(method)
	if route == "" {
		return m
	}
	return m + " " + route
}

// route is the path of a http.ServeMux pattern: "[METHOD ][HOST]/[PATH]".
func route(pattern string) string {
	if i := strings.IndexByte(pattern, '/'); i >= 0 {
		return pattern[i:]
	}
	return ""
}

// fail marks the span with a status that is an error. The status code says what happened, so there is no description, as
// the OpenTelemetry conventions have it.
func fail(span lens.Span, status int) {
	span.Str(semconv.ErrorType, strconv.Itoa(status))
	span.Fail("")
}
