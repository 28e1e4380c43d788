package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"

	"github.com/lensgo/lens/bench/sides"
)

// subjects are pieces of work with edges around them.
var subjects = []sides.Subject[maker]{
	{Name: "http server", Open: openServer}, {Name: "http client", Open: openClient},
	{Name: "grpc unary", Open: openUnary}, {Name: "grpc stream", Open: openStream},
}

func openServer(m maker) (func(context.Context) error, func() error) {
	h := m.handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	header := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "User-Agent": {"edges"}}
	return func(context.Context) error {
		h.ServeHTTP(nowhere{http.Header{}}, &http.Request{
			Method: http.MethodPost, URL: &url.URL{Path: "/verify"}, Host: "service.example", RemoteAddr: "10.0.0.1:1",
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: http.NoBody, Pattern: "POST /verify",
		})
		return nil
	}, func() error { return nil }
}

// nowhere is a response that keeps nothing.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header         { return w.header }
func (w nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (w nowhere) WriteHeader(int)             {}

func openClient(m maker) (func(context.Context) error, func() error) {
	t := m.transport(answer{})
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.example/verify", nil)
		if err != nil {
			return err
		}
		resp, err := t.RoundTrip(req)
		if err != nil {
			return err
		}
		return errors.Join(read(resp.Body), resp.Body.Close())
	}, func() error { return nil }
}

func read(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// answer answers at once.
type answer struct{}

func (answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r,
	}, nil
}

func openUnary(m maker) (func(context.Context) error, func() error) {
	client, done := dial(m)
	return func(ctx context.Context) error {
		_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
		return err
	}, done
}

// messages are sent on a stream each way.
const messages = 10

func openStream(m maker) (func(context.Context) error, func() error) {
	client, done := dial(m)
	return func(ctx context.Context) error {
		stream, err := client.FullDuplexCall(ctx)
		if err != nil {
			return err
		}
		for range messages {
			if err := stream.Send(&testpb.StreamingOutputCallRequest{}); err != nil {
				return err
			}
			if _, err := stream.Recv(); err != nil {
				return err
			}
		}
		if err := stream.CloseSend(); err != nil {
			return err
		}
		if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("the stream ends with %w", err)
		}
		return nil
	}, done
}

// service answers at once.
type service struct {
	testpb.UnimplementedTestServiceServer
}

func (service) UnaryCall(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return &testpb.SimpleResponse{}, nil
}

func (service) FullDuplexCall(s grpc.BidiStreamingServer[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse]) error {
	for {
		if _, err := s.Recv(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
}

// dial starts a server in memory and gives a client of it.
func dial(m maker) (client testpb.TestServiceClient, done func() error) {
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(m.server...)
	testpb.RegisterTestServiceServer(server, service{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///service.example:81", append(slices.Clip(m.client),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		panic(err) // the target is ours
	}
	return testpb.NewTestServiceClient(conn), func() error {
		err := conn.Close()
		server.Stop()
		return errors.Join(err, <-served)
	}
}
