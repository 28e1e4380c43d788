package lensgrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// groups are those of the two edges and one for spans of the test's own.
type groups struct {
	*lenstest.Recorder
	server, client, work *lens.Group
}

// record gives the groups, on as far as the spec says.
func record(t testing.TB, spec string) groups {
	t.Helper()
	rec := lenstest.New(t)
	g := groups{rec, rec.NewGroup("server"), rec.NewGroup("client"), rec.NewGroup("work")}
	rec.MustRegister(lens.Library{Namespace: "test", Groups: []*lens.Group{g.server, g.client, g.work}})
	rec.SetSpec(spec)
	return g
}

// service is gRPC's test service with the methods that a test gives.
type service struct {
	testpb.UnimplementedTestServiceServer
	unary    func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error)
	download func(*testpb.StreamingOutputCallRequest, grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error
	upload   func(grpc.ClientStreamingServer[testpb.StreamingInputCallRequest, testpb.StreamingInputCallResponse]) error
	duplex   func(grpc.BidiStreamingServer[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse]) error
}

func (s *service) UnaryCall(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	if s.unary == nil {
		return &testpb.SimpleResponse{}, nil
	}
	return s.unary(ctx, r)
}

func (s *service) StreamingOutputCall(r *testpb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[testpb.StreamingOutputCallResponse]) error {
	return s.download(r, out)
}

func (s *service) StreamingInputCall(in grpc.ClientStreamingServer[testpb.StreamingInputCallRequest, testpb.StreamingInputCallResponse]) error {
	return s.upload(in)
}

func (s *service) FullDuplexCall(both grpc.BidiStreamingServer[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse]) error {
	return s.duplex(both)
}

// serve starts a server of the service in memory, and gives what dials it. Both are gone when the test ends.
func serve(t testing.TB, s *service, options ...grpc.ServerOption) (dial func(...grpc.DialOption) testpb.TestServiceClient) {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(options...)
	testpb.RegisterTestServiceServer(server, s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return func(options ...grpc.DialOption) testpb.TestServiceClient {
		t.Helper()
		return testpb.NewTestServiceClient(connect(t, "passthrough:///shop.example:81", append(options,
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...))
	}
}

func connect(t testing.TB, target string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// parent gives a context with a remote parent.
func parent(t testing.TB, state string) context.Context {
	t.Helper()
	r, err := lens.ParseRef(traceparent, state)
	if err != nil {
		t.Fatal(err)
	}
	return lens.WithParent(t.Context(), r)
}

// download takes a whole stream.
func download(ctx context.Context, c testpb.TestServiceClient) error {
	stream, err := c.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{})
	for err == nil {
		_, err = stream.Recv()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// listen starts a server of the service on the loopback interface, and gives its address.
func listen(t testing.TB, s *service, options ...grpc.ServerOption) string {
	t.Helper()
	server := grpc.NewServer(options...)
	testpb.RegisterTestServiceServer(server, s)
	return start(t, server)
}

func start(t testing.TB, server *grpc.Server) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// fakeStream is a stream of a server that only has a context.
type fakeStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *fakeStream) Context() context.Context { return s.ctx }
