package lens

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lensgo/lens/internal/w3c"
)

// Ref names a span, of this process or of another one. It is what links and parents are made of. The zero value names
// nothing. Refs are plain values and may be compared with ==.
type Ref struct {
	TraceID [16]byte
	SpanID  [8]byte
	Flags   byte // W3C trace flags: 0x01 sampled, 0x02 the trace id is random
	Remote  bool // it came from another process

	state w3c.Tracestate
}

// Valid says whether the Ref names a span: both ids are there.
func (r Ref) Valid() bool { return r.parent().Valid() }

// String is the W3C traceparent header of the span, and "" when r is not valid.
func (r Ref) String() string {
	if !r.Valid() {
		return ""
	}
	return r.parent().String()
}

func (r Ref) parent() w3c.Parent {
	return w3c.Parent{TraceID: r.TraceID, SpanID: r.SpanID, Flags: r.Flags}
}

// ParseRef reads the values of the W3C headers traceparent and tracestate (level 2; the second may be ""). The error
// says which part of which header is wrong. After a bad traceparent the Ref is zero. A bad tracestate costs only itself,
// as W3C has it: the Ref is valid, has no tracestate, and comes with the error.
func ParseRef(traceparent, tracestate string) (Ref, error) {
	p, err := w3c.ParseTraceparent(traceparent)
	if err != nil {
		return Ref{}, err
	}
	state, err := w3c.ParseTracestate(tracestate)
	return Ref{TraceID: p.TraceID, SpanID: p.SpanID, Flags: p.Flags, Remote: true, state: state}, err
}

// Carrier is what trace context and baggage are written into and read from: headers, metadata, a message. Keys are
// asked for in lower case ("traceparent"); Set replaces what was there. A carrier that can hold several values of one
// key also has the method
//
//	Values(key string) []string
//
// and is then read through it: a tracestate may be spread over lines, and a traceparent must not come twice.
type Carrier interface {
	Get(key string) string
	Set(key, value string)
	Keys() []string
}

// Map is a [Carrier] with keys as they are, for messages and remote calls; package carrier has what is for bytes and child
// processes. A nil Map holds nothing and stays so.
type Map map[string]string

// Get gives the value of key, or "".
func (m Map) Get(key string) string { return m[key] }

// Set sets key to value.
func (m Map) Set(key, value string) {
	if m != nil {
		m[key] = value
	}
}

// Keys gives the keys in no order.
func (m Map) Keys() []string { return keys(m) }

// Header is a [Carrier] over http.Header and gRPC metadata.MD: convert either, it is the same map. A key is found as
// net/http writes it ("Traceparent") and as gRPC writes it ("traceparent"). Set writes it as gRPC does where no key that
// is there begins with a capital, and in an empty map as net/http does. A nil Header holds nothing and stays so.
type Header map[string][]string

// Get gives the first value of key, or "".
func (h Header) Get(key string) string {
	if v := h.Values(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

// Values gives all values of key. The slice belongs to the map.
func (h Header) Values(key string) []string {
	http := canonical(key)
	v := h[http]
	if http == key {
		return v
	}
	lower := h[key]
	switch {
	case len(lower) == 0:
		return v
	case len(v) == 0:
		return lower
	}
	return append(slices.Clip(v), lower...)
}

// Set makes value the only value of key.
func (h Header) Set(key, value string) {
	if h == nil {
		return
	}
	http := canonical(key)
	if h.lower() {
		delete(h, http)
		h[key] = []string{value}
		return
	}
	delete(h, key)
	h[http] = []string{value}
}

// Del removes key.
func (h Header) Del(key string) {
	delete(h, key)
	delete(h, canonical(key))
}

// lower says whether the map has its keys in lower case, as gRPC needs them (":authority" among them). Headers of net/http
// may have some, set past its canonical form, but hardly all.
func (h Header) lower() bool {
	for k := range h {
		if k != "" && 'A' <= k[0] && k[0] <= 'Z' {
			return false
		}
	}
	return len(h) > 0
}

// canonical is the key as net/http writes it; for ours without an allocation.
func canonical(key string) string {
	switch key {
	case "traceparent":
		return "Traceparent"
	case "tracestate":
		return "Tracestate"
	case "baggage":
		return "Baggage"
	}
	return textproto.CanonicalMIMEHeaderKey(key)
}

// Keys gives the keys in no order.
func (h Header) Keys() []string { return keys(h) }

func keys[V any](m map[string]V) []string {
	k := make([]string, 0, len(m))
	for key := range m {
		k = append(k, key)
	}
	return k
}

// RefFrom gives the nearest span in ctx that leaves the process, or the remote parent: what Inject would write. It is
// not valid when there is neither, and then the next span is a root of a new trace.
func RefFrom(ctx context.Context) Ref {
	if ctx == nil {
		return Ref{}
	}
	p, state, remote := current(ctx)
	return Ref{TraceID: p.TraceID, SpanID: p.SpanID, Flags: p.Flags, Remote: remote, state: state}
}

// WithParent gives a context in which r is the parent of the next span, whatever ctx held before. A Ref that is not
// valid gives ctx as it is: see [Detach] for a root.
//
// A Ref whose tracestate has the member lens=r reserves a trace id: it is no parent, the next root takes the trace id
// and is a root. It is injected onward as it came until a span is started.
func WithParent(ctx context.Context, r Ref) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	return withParent(ctx, r.parent(), r.state, r.Remote)
}

// Detach gives a context in which the next span is the root of a new trace. Baggage, the attributes of With, values,
// deadline and cancellation are those of ctx.
func Detach(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return detach(ctx)
}

// Inject writes the trace context and the baggage of ctx into c, whichever groups are on: a span below an off group goes
// on under its nearest enabled ancestor, or under the remote parent. With nothing to write it leaves c alone. It is W3C
// (level 2) and W3C baggage unless the set-up chose another propagator.
func Inject(ctx context.Context, c Carrier) {
	if ctx == nil || c == nil {
		return
	}
	inject(ctx, c)
}

// Extract gives ctx with the trace context and the baggage that c holds. Headers that are missing or wrong leave their
// part of ctx as it was. Nothing in c: ctx as given, and nothing is allocated.
func Extract(ctx context.Context, c Carrier) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if c == nil {
		return ctx
	}
	return extract(ctx, c)
}

// WithBaggage gives a context with the baggage member key=value, in place of an older one of that key. Baggage travels
// with every request below and is never copied onto spans by itself. The error says what is wrong with the key (an HTTP
// token), the value (any UTF-8 text) or the size (64 members, 8192 bytes as sent); the context is then ctx.
func WithBaggage(ctx context.Context, key, value string) (context.Context, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	switch {
	case !isToken(key):
		return ctx, baggageError(key, errBaggageKey)
	case !utf8.ValidString(value):
		return ctx, baggageError(key, errBaggageValue)
	}
	with, members, size, err := withBaggage(ctx, key, value)
	switch {
	case err != nil:
		return ctx, baggageError(key, err)
	case members > maxBaggageMembers:
		return ctx, baggageError(key, fmt.Errorf("there would be %d members, and %d may be", members, maxBaggageMembers))
	case size > w3c.MaxBaggage:
		return ctx, baggageError(key, fmt.Errorf("the header would have %d bytes, and %d may be", size, w3c.MaxBaggage))
	}
	return with, nil
}

// Baggage gives the value of the baggage member key, or "".
func Baggage(ctx context.Context, key string) string {
	if ctx == nil {
		return ""
	}
	return baggageOf(ctx, key)
}

// maxBaggageMembers is W3C's limit beside that of the bytes.
const maxBaggageMembers = 64

var (
	errBaggageKey   = errors.New("the key is not a token of ASCII letters, digits and !#$%&'*+-.^_`|~")
	errBaggageValue = errors.New("the value is not UTF-8")
)

// isToken says whether s is a token of HTTP (RFC 9110), as a baggage key must be.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

func baggageError(key string, err error) error {
	return fmt.Errorf("cannot add baggage member %q: %w", key, err)
}
