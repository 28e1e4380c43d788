package ingest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // clients may send gzip
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// maxStreams bounds the requests under way on one connection; a client queues the rest itself.
const maxStreams = 128

// grpcServer serves the three Export methods. They are declared as streams of one message, which on the wire is the same
// as unary: gRPC would read a unary request before it asks us, and here a body waits for its place first.
func (r *Receiver) grpcServer() *grpc.Server {
	srv := grpc.NewServer(
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.MaxRecvMsgSize(int(min(r.cfg.MaxDecoded, math.MaxInt32))),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeader),
		grpc.ConnectionTimeout(headerTimeout),
		// Exporters that ping often would be thrown out by the default of five minutes.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.WaitForHandlers(true),
	)
	for _, s := range signals {
		srv.RegisterService(&grpc.ServiceDesc{
			ServiceName: s.service,
			Streams: []grpc.StreamDesc{{
				StreamName: "Export",
				Handler:    func(_ any, stream grpc.ServerStream) error { return r.export(stream, s) },
			}},
		}, nil)
	}
	return srv
}

// export answers one request.
func (r *Receiver) export(stream grpc.ServerStream, s *signal) error {
	took, bad := r.acceptStream(stream, s)
	if bad != nil {
		r.count(bad)
		var own interface{ GRPCStatus() *status.Status }
		if errors.As(bad.err, &own) {
			return own.GRPCStatus().Err() // what gRPC found wrong itself
		}
		return status.Error(codes.Code(rpcCode(bad.status)), bad.Error())
	}
	return stream.SendMsg(took.appendProto(nil))
}

// acceptStream is accept for gRPC.
func (r *Receiver) acceptStream(stream grpc.ServerStream, s *signal) (receipt, *refusal) {
	ctx := stream.Context()
	if bad := enter(ctx, r.bodies); bad != nil {
		return receipt{}, bad
	}
	defer func() { <-r.bodies }()
	req, bad := r.receive(ctx, stream)
	if bad != nil {
		return receipt{}, bad
	}
	if bad := enter(ctx, r.slots); bad != nil {
		return receipt{}, bad
	}
	defer func() { <-r.slots }()
	return r.take(ctx, s, req)
}

// receive reads the message of a stream. gRPC has no limit of time for that; its wait ends when the handler has returned,
// so it is waited for elsewhere.
func (r *Receiver) receive(ctx context.Context, stream grpc.ServerStream) ([]byte, *refusal) {
	type message struct {
		body []byte
		err  error
	}
	got := make(chan message, 1)
	r.reading.Go(func() {
		var m message
		m.err = stream.RecvMsg(&m.body)
		got <- m
	})
	timeout := time.NewTimer(r.cfg.ReadTimeout)
	defer timeout.Stop()
	select {
	case m := <-got:
		if m.err != nil {
			return nil, receiveError(m.err)
		}
		return m.body, nil
	case <-timeout.C:
		err := status.Errorf(codes.DeadlineExceeded, "message did not come within %v", r.cfg.ReadTimeout)
		return nil, &refusal{http.StatusRequestTimeout, err}
	case <-ctx.Done():
		return nil, &refusal{http.StatusBadRequest, status.FromContextError(ctx.Err()).Err()}
	}
}

// receiveError counts an error of gRPC like the one of HTTP that it resembles.
func receiveError(err error) *refusal {
	err = fmt.Errorf("cannot receive message: %w", err)
	if status.Code(err) == codes.ResourceExhausted {
		return &refusal{http.StatusRequestEntityTooLarge, err}
	}
	return &refusal{http.StatusBadRequest, err}
}

// rawCodec hands messages on as they are. It answers to the name that protobuf has on the wire.
type rawCodec struct{}

// Marshal sends a message that is bytes already.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("cannot send %T, must be bytes", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal copies, because gRPC uses its buffers again.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("cannot receive into %T, must be bytes", v)
	}
	*b = data.Materialize()
	return nil
}

// Name is that of the default codec.
func (rawCodec) Name() string { return "proto" }
