//go:build !lens_off

package otlpgrpc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"

	"github.com/lensgo/lens/telemetry/export/otlpgrpc"
	"github.com/lensgo/lens/telemetry/internal/otlp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	quiet = slog.New(slog.DiscardHandler)
	body  = []byte("\x0a\x00")
)

// setenv sets variables of the form KEY=value, without their common beginning, and unsets every other one.
func setenv(t *testing.T, vars ...string) {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") {
			t.Setenv(name, "")
		}
	}
	for _, kv := range append(vars, "PROTOCOL=grpc") {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
	}
}

func sender(t *testing.T, s otlp.Signal, vars ...string) otlp.Sender {
	t.Helper()
	setenv(t, vars...)
	target, err := otlp.Resolve(s, quiet)
	if err != nil {
		t.Fatal(err)
	}
	sender, err := target.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	return sender
}

// fail sends a request and returns the failure.
func fail(ctx context.Context, t *testing.T, s otlp.Sender) *otlp.Failure {
	t.Helper()
	_, err := s.Send(ctx, body)
	var f *otlp.Failure
	if !errors.As(err, &f) {
		t.Fatalf("Send: %v, want a failure", err)
	}
	return f
}

func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in: %s", p, text)
		}
	}
}

// call is what a collector got.
type call struct {
	method      string
	metadata    metadata.MD
	compression string
	body        []byte
}

// collector is a server of gRPC that takes every method, and passes bytes as they are.
type collector struct {
	*door
	// answer, when it is set, is what a call gets.
	answer func(ctx context.Context, c call) ([]byte, error)

	mu    sync.Mutex
	calls []call
}

func newCollector(t *testing.T, answer func(context.Context, call) ([]byte, error), options ...grpc.ServerOption) *collector {
	t.Helper()
	c := &collector{door: newDoor(t), answer: answer}
	c.serve(t, c.door, options...)
	return c
}

// serveGRPC serves on a listener of the caller's.
func serveGRPC(t *testing.T, l net.Listener, answer func(context.Context, call) ([]byte, error)) {
	t.Helper()
	(&collector{answer: answer}).serve(t, l)
}

func (c *collector) serve(t *testing.T, l net.Listener, options ...grpc.ServerOption) {
	server := grpc.NewServer(append(options, grpc.ForceServerCodecV2(bytesCodec{}), grpc.UnknownServiceHandler(c.handle),
		grpc.StatsHandler(compression{}))...)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() { server.Stop(); <-done })
}

func (c *collector) handle(_ any, stream grpc.ServerStream) error {
	var got call
	if err := stream.RecvMsg(&got.body); err != nil {
		return err
	}
	ctx := stream.Context()
	got.method, _ = grpc.MethodFromServerStream(stream)
	got.metadata, _ = metadata.FromIncomingContext(ctx)
	got.compression = *ctx.Value(compressionKey{}).(*string)
	c.mu.Lock()
	c.calls = append(c.calls, got)
	c.mu.Unlock()
	var reply []byte
	if c.answer != nil {
		var err error
		if reply, err = c.answer(ctx, got); err != nil {
			return err
		}
	}
	return stream.SendMsg(reply)
}

func (c *collector) last(t *testing.T) call {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) == 0 {
		t.Fatal("nothing came")
	}
	return c.calls[len(c.calls)-1]
}

// bytesCodec passes messages as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "bytes" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// compression notes the compression of calls.
type compression struct{}

type compressionKey struct{}

func (compression) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, compressionKey{}, new(string))
}

func (compression) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if h, ok := s.(*stats.InHeader); ok {
		*ctx.Value(compressionKey{}).(*string) = h.Compression
	}
}

func (compression) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (compression) HandleConn(context.Context, stats.ConnStats) {}

// door is a listener whose server can be away for a while without giving its port up.
type door struct {
	net.Listener

	mu    sync.Mutex
	shut  bool
	conns []net.Conn
	tries chan struct{} // gets something when one came and was not let in
}

func newDoor(t *testing.T) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &door{Listener: l, tries: make(chan struct{}, 1)}
}

func (d *door) url() string { return "http://" + d.Addr().String() }

func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		shut := d.shut
		d.conns = append(d.conns, conn)
		d.mu.Unlock()
		if !shut {
			return conn, nil
		}
		end(conn)
		select {
		case d.tries <- struct{}{}:
		default:
		}
	}
}

// awaitTry waits for one who is not let in.
func (d *door) awaitTry() { <-d.tries }

// kill ends all connections as the death of a process does, and takes no more until it is opened.
func (d *door) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = true
	for _, conn := range d.conns {
		end(conn)
	}
	select {
	case <-d.tries: // it was before
	default:
	}
}

func (d *door) open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = false
}

func end(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// silent accepts connections and says nothing until the other end has gone.
func silent(t *testing.T, accepted func()) *door {
	d := newDoor(t)
	go func() {
		conn, err := d.Accept()
		accepted()
		if err == nil {
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}()
	return d
}

func awaitConnection(t *testing.T, s otlp.Sender) {
	t.Helper()
	if !otlpgrpc.AwaitConnection(t.Context(), s) {
		t.Fatal("the connection does not change")
	}
}
