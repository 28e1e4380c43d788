package lenshttp

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/callctx"
	"github.com/lensgo/lens/semconv"
)

// setMethod writes http.request.method. An empty method is GET, as in http.Request.
func setMethod(span lens.Span, method string) {
	if known(method) {
		span.Str(semconv.HTTPRequestMethod, orGet(method))
		return
	}
	span.Str(semconv.HTTPRequestMethod, semconv.OtherMethod)
	span.Str(semconv.HTTPRequestMethodOriginal, method)
}

// spanMethod is the method in a span name: "HTTP" for one that nobody knows.
func spanMethod(method string) string {
	if known(method) {
		return orGet(method)
	}
	return "HTTP"
}

func orGet(method string) string {
	if method == "" {
		return http.MethodGet
	}
	return method
}

// known are the methods of the conventions: RFC 9110, PATCH and QUERY.
func known(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace, "QUERY":
		return true
	}
	return false
}

// setServer writes server.address and server.port of "host[:port]".
func setServer(span lens.Span, hostport, scheme string) {
	host, port := splitHostPort(withoutUser(hostport))
	if host == "" {
		return
	}
	span.Str(semconv.ServerAddress, host)
	switch {
	case port != 0:
	case scheme == "https":
		port = 443
	case scheme == "http":
		port = 80
	default:
		return
	}
	span.Int(semconv.ServerPort, port)
}

// withoutUser takes user information off a host, where net/http lets it through: a Host header, a URL made of parts.
func withoutUser(hostport string) string { return hostport[strings.LastIndexByte(hostport, '@')+1:] }

// splitHostPort takes "host", "host:port" and "[v6]:port" apart; port 0 means none.
func splitHostPort(hostport string) (host string, port int) {
	host, p, err := net.SplitHostPort(hostport)
	if err != nil {
		n := len(hostport)
		if n > 2 && hostport[0] == '[' && hostport[n-1] == ']' {
			return hostport[1 : n-1], 0
		}
		return hostport, 0
	}
	n, err := strconv.ParseUint(p, 10, 16)
	if err != nil {
		return host, 0
	}
	return host, int(n)
}

// setProtocol writes network.protocol.version: "1.1", "2".
func setProtocol(span lens.Span, major, minor int) {
	switch {
	case major == 0:
	case major >= 2 && minor == 0:
		span.Str(semconv.NetworkProtocolVersion, strconv.Itoa(major))
	default:
		span.Str(semconv.NetworkProtocolVersion, strconv.Itoa(major)+"."+strconv.Itoa(minor))
	}
}

// setCanceled says on the span that the caller did not wait for the end, and gives what it says: "" for nothing.
func setCanceled(ctx context.Context, span lens.Span) (why string) {
	if why = callctx.Canceled(ctx); why != "" {
		span.Str(semconv.LensCanceled, why)
	}
	return why
}
