//go:build !lens_off

package otlpgrpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

func init() { otlp.Register(otlp.GRPC, dial) }

// sender is OTLP over gRPC.
type sender struct {
	target otlp.Target
	conn   *grpc.ClientConn
	header metadata.MD
}

// dial makes a sender. It connects when something is sent. Who waits how long between two tries is the caller's business, so
// the connection does not wait long by itself.
func dial(t otlp.Target) (otlp.Sender, error) {
	creds := insecure.NewCredentials()
	if t.URL.Scheme == "https" {
		trust := t.TLS
		if trust == nil {
			trust = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		creds = credentials.NewTLS(trust)
	}
	host := t.URL.Host
	if t.URL.Port() == "" {
		host = net.JoinHostPort(t.URL.Hostname(), "4317")
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithUserAgent("OTel-OTLP-Exporter-Lens"),
		grpc.WithStatsHandler(watcher{}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 10 * time.Second,
		}),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})),
		grpc.WithDisableServiceConfig(),
	}
	if t.Gzip {
		options = append(options, grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	}
	conn, err := grpc.NewClient("dns:///"+host, options...) // gRPC would take what stands before a colon for a scheme
	if err != nil {
		return nil, fmt.Errorf("cannot make the gRPC client of %s: %w", t, err)
	}
	header := metadata.MD{}
	for name, values := range t.Header {
		header.Append(strings.ToLower(name), values...)
	}
	return &sender{target: t, conn: conn, header: header}, nil
}

// Close ends what is being sent.
func (s *sender) Close() { _ = s.conn.Close() }

var errTimeout = errors.New("the collector did not answer within OTEL_EXPORTER_OTLP_TIMEOUT")

// Send sends one request.
func (s *sender) Send(ctx context.Context, body []byte) (otlp.Answer, error) {
	if s.target.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.target.Timeout, errTimeout)
		defer cancel()
	}
	var c call
	ctx = context.WithValue(metadata.NewOutgoingContext(ctx, s.header), callKey{}, &c)
	var reply []byte
	err := s.conn.Invoke(ctx, s.target.Signal.Call, body, &reply)
	if err == nil {
		return otlp.ParseAnswer(reply), nil
	}
	return otlp.Answer{}, s.failure(ctx, err, &c)
}

// failure says which errors are worth another try, by the table of the OTLP specification.
func (s *sender) failure(ctx context.Context, err error, c *call) *otlp.Failure {
	st := status.Convert(err)
	answered := c.answered.Load()
	said := otlp.Excerpt([]byte(st.Message()))
	f := &otlp.Failure{Err: fmt.Errorf("%s answered %s: %s", s.target, st.Code(), s.target.Quote(said))}
	if answered {
		otlp.TellReply(ctx, func() *otlp.Reply {
			return &otlp.Reply{Code: st.Code().String(), Text: said}
		})
	} else {
		f.Err = fmt.Errorf("no answer from %s: %s: %s", s.target, st.Code(), s.target.Quote(said))
	}
	cause := context.Cause(ctx)
	if cause == nil && st.Code() == codes.DeadlineExceeded { // the server knows the deadline, and may be the first to see it
		cause = errTimeout
	}
	if cause != nil {
		f.Err = fmt.Errorf("%w: %w", cause, f.Err)
	}
	after, asked := retryInfo(st)
	switch st.Code() {
	case codes.Canceled, codes.DeadlineExceeded: // also from who stands between, and has no answer either
		f.Retry, f.After, f.MayHaveArrived = true, after, c.written.Load()
	case codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		f.Retry, f.After, f.MayHaveArrived = true, after, c.written.Load() && !answered
	case codes.ResourceExhausted:
		f.Retry, f.After = asked, after
	}
	if hint, lasting := hintOf(st.Message()); hint != "" && !answered {
		f.Err, f.Lasting = fmt.Errorf("%w; %s", f.Err, hint), lasting
	}
	return f
}

// hintOf says what would mend a connection, and whether it fails with every try until then.
func hintOf(message string) (hint string, lasting bool) {
	preface := strings.Contains(message, "error reading server preface")
	switch {
	case strings.Contains(message, "authentication handshake failed"), strings.Contains(message, "remote error: tls:"):
		return "does it speak TLS, as https:// in the endpoint says? See also OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY", true
	case preface && strings.Contains(message, "frame too large"):
		return "that is no gRPC: is it the collector's HTTP port? Then set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf; " +
			"or a port with TLS? Then the endpoint begins with https://", true
	case preface:
		return "it closed the connection without a word of gRPC: does it speak TLS? Then the endpoint begins with https://", false
	}
	return "", false
}

// retryInfo is how long a collector asks to wait, if it does.
func retryInfo(st *status.Status) (after time.Duration, asked bool) {
	for _, d := range st.Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration(), true
		}
	}
	return 0, false
}

// call is how far one got.
type call struct {
	written  atomic.Bool // it may have left
	answered atomic.Bool // with a status, which a broken connection has not
}

// callKey is the key of a call in its context.
type callKey struct{}

// watcher notices how far calls get.
type watcher struct{}

func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (watcher) HandleRPC(ctx context.Context, s stats.RPCStats) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.Begin: // once more only when the collector has not looked at what left before
		c.written.Store(false)
	case *stats.OutPayload:
		c.written.Store(true)
	case *stats.InTrailer:
		c.answered.Store(true)
	}
}

func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (watcher) HandleConn(context.Context, stats.ConnStats) {}

// raw passes messages that are encoded already.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}
