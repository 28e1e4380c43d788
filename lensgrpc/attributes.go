package lensgrpc

import (
	"context"
	"net"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/callctx"
	"github.com/lensgo/lens/semconv"
)

// spanName is the method without the slash in front, and the system's name where anybody could make methods up.
func spanName(fullMethod string, known bool) string {
	if !known {
		return semconv.RPCSystemGRPC
	}
	return strings.TrimPrefix(fullMethod, "/")
}

func setMethod(span lens.Span, fullMethod string, known bool) {
	span.Str(semconv.RPCSystemName, semconv.RPCSystemGRPC)
	method := strings.TrimPrefix(fullMethod, "/")
	if !known {
		span.Str(semconv.RPCMethodOriginal, method)
		method = semconv.OtherMethod
	}
	span.Str(semconv.RPCMethod, method)
}

// setCode writes how the call went; st is nil for OK. The rule says which codes are errors.
func setCode(span lens.Span, st *status.Status, isError func(codes.Code) bool) {
	name := codeName(st.Code())
	span.Str(semconv.RPCResponseStatusCode, name)
	if isError(st.Code()) {
		span.Str(semconv.ErrorType, name)
		span.Fail(short(st.Message()))
	}
}

// clientError says whether a code is an error of the one who called.
func clientError(c codes.Code) bool { return c != codes.OK }

// serverError says whether a code is an error of the one who was called.
func serverError(c codes.Code) bool {
	switch c {
	case codes.Unknown, codes.DeadlineExceeded, codes.Unimplemented, codes.Internal, codes.Unavailable, codes.DataLoss:
		return true
	}
	return false
}

// codeNames are the codes as gRPC's specification writes them, which Go does not.
var codeNames = [...]string{
	codes.OK:                 "OK",
	codes.Canceled:           "CANCELLED",
	codes.Unknown:            "UNKNOWN",
	codes.InvalidArgument:    "INVALID_ARGUMENT",
	codes.DeadlineExceeded:   "DEADLINE_EXCEEDED",
	codes.NotFound:           "NOT_FOUND",
	codes.AlreadyExists:      "ALREADY_EXISTS",
	codes.PermissionDenied:   "PERMISSION_DENIED",
	codes.ResourceExhausted:  "RESOURCE_EXHAUSTED",
	codes.FailedPrecondition: "FAILED_PRECONDITION",
	codes.Aborted:            "ABORTED",
	codes.OutOfRange:         "OUT_OF_RANGE",
	codes.Unimplemented:      "UNIMPLEMENTED",
	codes.Internal:           "INTERNAL",
	codes.Unavailable:        "UNAVAILABLE",
	codes.DataLoss:           "DATA_LOSS",
	codes.Unauthenticated:    "UNAUTHENTICATED",
}

// codeName is the name of a code, and its number where it has none.
func codeName(c codes.Code) string {
	if int64(c) < int64(len(codeNames)) {
		return codeNames[c]
	}
	return strconv.FormatUint(uint64(c), 10)
}

// statusOf is what gRPC makes of the error of a handler or a call; nil for none.
func statusOf(err error) *status.Status {
	if err == nil {
		return nil
	}
	if st, ok := status.FromError(err); ok {
		return st
	}
	return status.FromContextError(err)
}

// setCanceled says that the caller did not wait for the end of the call.
func setCanceled(ctx context.Context, span lens.Span) {
	if why := callctx.Canceled(ctx); why != "" {
		span.Str(semconv.LensCanceled, why)
	}
}

// maxMessage is how much of a status message is kept: it is written by the other side.
const maxMessage = 1 << 10

func short(message string) string {
	if len(message) <= maxMessage {
		return strings.ToValidUTF8(message, "\ufffd")
	}
	end := maxMessage
	for end > maxMessage-utf8.UTFMax && !utf8.RuneStart(message[end]) {
		end--
	}
	return strings.ToValidUTF8(message[:end], "\ufffd")
}

// address is a host and a port, or the path of a socket and 0.
type address struct {
	host string
	port int
}

// parseAddress takes "host:port" apart. What has no port is a host, a path or a name.
func parseAddress(text string) address {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return address{host: strings.Trim(text, "[]")}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return address{host: host}
	}
	return address{host, int(n)}
}

// netAddress is the address of a connection's end.
func netAddress(a net.Addr) address {
	switch a := a.(type) {
	case nil:
		return address{}
	case *net.TCPAddr:
		if a == nil {
			return address{}
		}
		return address{a.AddrPort().Addr().Unmap().String(), a.Port}
	}
	return parseAddress(a.String())
}

// target is the server that a connection is for, of "scheme://authority/endpoint" or "scheme:endpoint": a name and not what
// it was resolved to. An endpoint of several addresses stays one text.
func target(canonical string) address {
	scheme, rest, ok := strings.Cut(canonical, ":")
	if !ok {
		return parseAddress(canonical)
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		_, rest, _ = strings.Cut(authority, "/")
		if strings.HasPrefix(scheme, "unix") {
			rest = "/" + rest
		}
	}
	if strings.HasPrefix(scheme, "unix") || strings.Contains(rest, ",") {
		return address{host: rest}
	}
	return parseAddress(withoutUser(rest))
}

// withoutUser takes user information off an authority, which gRPC lets through.
func withoutUser(authority string) string {
	return authority[strings.LastIndexByte(authority, '@')+1:]
}

func (a address) set(span lens.Span, hostKey, portKey string) {
	if a.host == "" {
		return
	}
	span.Str(hostKey, a.host)
	if a.port != 0 {
		span.Int(portKey, a.port)
	}
}
