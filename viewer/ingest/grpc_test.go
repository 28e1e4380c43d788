package ingest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/lensgo/lens/viewer/ingest"
)

// startGRPC runs a receiver with both protocols.
func startGRPC(t testing.TB, c ingest.Config) (*ingest.Receiver, *grpc.ClientConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c.GRPC = ln
	r, _, _ := start(t, c)
	return r, dial(t, r)
}

func dial(t testing.TB, r *ingest.Receiver) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(r.GRPCEndpoint(), "http://"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func jsonRequest(t testing.TB, signal string, into interface{ UnmarshalJSON([]byte) error }) {
	t.Helper()
	must(t, into.UnmarshalJSON(sample(t, signal)))
}

func TestGRPC(t *testing.T) {
	sink := &shelf{}
	r, conn := startGRPC(t, ingest.Config{Sink: sink})
	for _, options := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
		spans := request(2, "x")
		_, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), spans, options...)
		must(t, err)
		m, l := pmetricotlp.NewExportRequest(), plogotlp.NewExportRequest()
		jsonRequest(t, "metrics", m)
		jsonRequest(t, "logs", l)
		_, err = pmetricotlp.NewGRPCClient(conn).Export(t.Context(), m, options...)
		must(t, err)
		_, err = plogotlp.NewGRPCClient(conn).Export(t.Context(), l, options...)
		must(t, err)
		if last := sink.traces[len(sink.traces)-1]; !bytes.Equal(last, protobuf(t, spans)) {
			t.Error("the sink has not the bytes that were sent")
		}
	}
	_, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), ptraceotlp.NewExportRequest())
	must(t, err)
	want := ingest.Stats{Requests: 3, Spans: 4, MetricsRequests: 2, DataPoints: 6, LogsRequests: 2, LogRecords: 2}
	if got := r.Stats(); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	if spans, metrics, records := sink.decoded(t); len(spans) != 4 || len(metrics) != 6 || len(records) != 2 {
		t.Errorf("the sink has %d spans, %d metrics, %d records; want 4, 6, 2", len(spans), len(metrics), len(records))
	}
}

func TestGRPC_partial_success(t *testing.T) {
	_, conn := startGRPC(t, ingest.Config{Sink: &shelf{rejected: 2, why: "no room"}})
	reply, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), request(3, "x"))
	must(t, err)
	if p := reply.PartialSuccess(); p.RejectedSpans() != 2 || p.ErrorMessage() != "no room" {
		t.Errorf("%d rejected, %q; want 2, no room", p.RejectedSpans(), p.ErrorMessage())
	}
}

func TestGRPC_errors(t *testing.T) {
	raw := func(conn *grpc.ClientConn, method string, body []byte, options ...grpc.CallOption) error {
		var reply []byte
		return conn.Invoke(t.Context(), method, body, &reply, append(options, grpc.ForceCodecV2(ingest.RawCodec))...)
	}
	const export = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	packed := grpc.UseCompressor(gzip.Name)
	body := protobuf(t, request(1, "x"))
	for _, tt := range []struct {
		name    string
		sink    error
		method  string
		body    []byte
		options []grpc.CallOption
		code    codes.Code
	}{
		{"invalid", ingest.ErrInvalid, export, body, nil, codes.InvalidArgument},
		{"too large for the sink", ingest.ErrTooLarge, export, body, nil, codes.ResourceExhausted},
		{"full", errors.New("disk is full"), export, body, nil, codes.Unavailable},
		{"metrics that are none", nil, "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", []byte("hello"), nil, codes.InvalidArgument},
		{"logs that are none", nil, "/opentelemetry.proto.collector.logs.v1.LogsService/Export", []byte("hello"), nil, codes.InvalidArgument},
		{"large", nil, export, make([]byte, 1<<20+1), nil, codes.ResourceExhausted},
		{"large after decompression", nil, export, make([]byte, 1<<20+1), []grpc.CallOption{packed}, codes.ResourceExhausted},
		{"unknown method", nil, strings.Replace(export, "Export", "Import", 1), body, nil, codes.Unimplemented},
		{"unknown service", nil, "/grpc.health.v1.Health/Check", nil, nil, codes.Unimplemented},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, conn := startGRPC(t, ingest.Config{Sink: &shelf{err: tt.sink}, MaxDecoded: 1 << 20})
			err := raw(conn, tt.method, tt.body, tt.options...)
			if status.Code(err) != tt.code {
				t.Errorf("error %v, want %v", err, tt.code)
			}
			if err := raw(conn, export, nil); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// OT-13, over gRPC: 128 MiB of zeros in 130 KB, from a client that does not have to compress them.
func TestGRPC_gzip_bomb(t *testing.T) {
	r, conn := startGRPC(t, ingest.Config{Sink: &shelf{}})
	bomb := bombOf(t, 128<<20)
	frame := append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(bomb))), bomb...)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	header := map[string]string{"Content-Type": "application/grpc", "TE": "trailers", "Grpc-Encoding": "gzip"}

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	req, err := http.NewRequestWithContext(t.Context(), "POST",
		r.GRPCEndpoint()+"/opentelemetry.proto.collector.trace.v1.TraceService/Export", bytes.NewReader(frame))
	must(t, err)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	must(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	runtime.ReadMemStats(&after)
	code := resp.Trailer.Get("Grpc-Status") + resp.Header.Get("Grpc-Status") // in the header when there is no body
	if code != strconv.Itoa(int(codes.ResourceExhausted)) {
		t.Errorf("status %q, want that of ResourceExhausted", code)
	}
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("memory grew by %d MiB, want less than 64", grown>>20)
	}
	_, err = ptraceotlp.NewGRPCClient(conn).Export(t.Context(), request(1, "x"))
	must(t, err)
	must(t, r.Shutdown(context.Background())) // a refusal is counted after it was sent
	if got := r.Stats(); got.Refused != 1 || got.Requests != 1 {
		t.Errorf("stats %+v, want one refused and one taken", got)
	}
}

// stallStream opens a request and never sends its message.
func stallStream(t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true},
		"/opentelemetry.proto.collector.trace.v1.TraceService/Export", grpc.ForceCodecV2(ingest.RawCodec))
	must(t, err)
	return stream
}

func TestGRPC_slow_sender_is_cut(t *testing.T) {
	r, conn := startGRPC(t, ingest.Config{Sink: &shelf{}, MaxConcurrent: 1, ReadTimeout: time.Second})
	cut := make(chan error, ingest.BodiesPerSlot)
	for range ingest.BodiesPerSlot {
		stream := stallStream(t, conn)
		go func() {
			var reply []byte
			cut <- stream.RecvMsg(&reply)
		}()
	}
	for r.Running() < ingest.BodiesPerSlot && len(cut) == 0 { // a slow machine may cut the first before it sees the last
		runtime.Gosched()
	}
	// All places are taken by senders that say nothing more; this one gets one in the end.
	_, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), request(1, "x"))
	must(t, err)
	for range ingest.BodiesPerSlot {
		if err := <-cut; status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("error %v, want DeadlineExceeded", err)
		}
	}
}

func TestGRPC_shutdown(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	lnGRPC, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Sink: &shelf{}, GRPC: lnGRPC, ReadTimeout: time.Hour})
	must(t, err)
	conn := dial(t, r)
	stream := stallStream(t, conn)
	for r.Running() == 0 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v, want context.Canceled", err)
	}
	var reply []byte
	if err := stream.RecvMsg(&reply); status.Code(err) != codes.Unavailable {
		t.Errorf("the cut off request got %v, want Unavailable", err)
	}
}

// A running request is answered before a shutdown ends.
func TestGRPC_shutdown_drains(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	lnGRPC, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	sink := &shelf{}
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Sink: sink, GRPC: lnGRPC})
	must(t, err)
	stream := stallStream(t, dial(t, r))
	for r.Running() == 0 {
		runtime.Gosched()
	}
	stopped := make(chan error, 1)
	go func() { stopped <- r.Shutdown(context.Background()) }()
	must(t, stream.SendMsg(protobuf(t, request(1, "late"))))
	must(t, stream.CloseSend())
	var reply []byte
	must(t, stream.RecvMsg(&reply))
	if err := stream.RecvMsg(&reply); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ended with %v, want EOF", err)
	}
	must(t, <-stopped)
	if spans, _, _ := sink.decoded(t); len(spans) != 1 {
		t.Errorf("%d spans, want 1", len(spans))
	}
}

func TestGRPC_is_off_without_a_listener(t *testing.T) {
	r, _, _ := start(t, ingest.Config{Sink: &shelf{}})
	if r.GRPCEndpoint() != "" {
		t.Errorf("endpoint %q, want none", r.GRPCEndpoint())
	}
}

// A failed start closes both listeners.
func TestGRPC_failed_start(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	lnGRPC, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	if _, err := ingest.Start(t.Context(), ln, ingest.Config{GRPC: lnGRPC}); err == nil {
		t.Error("no error without Path and Sink")
	}
	if _, err := lnGRPC.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is still open: %v", err)
	}
}

// A client that speaks HTTP/1 to the port of gRPC is cut off, and harms nobody.
func TestGRPC_port_hears_HTTP(t *testing.T) {
	r, conn := startGRPC(t, ingest.Config{Sink: &shelf{}})
	old, err := net.Dial("tcp", strings.TrimPrefix(r.GRPCEndpoint(), "http://"))
	must(t, err)
	defer old.Close()
	_, err = io.WriteString(old, "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n")
	must(t, err)
	_, _ = io.Copy(io.Discard, old) // until the server hangs up, in whatever way
	_, err = ptraceotlp.NewGRPCClient(conn).Export(t.Context(), request(1, "x"))
	must(t, err)
}
