//go:build !lens_off

package lensgrpc_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensgrpc"
)

var (
	serverGroup = lens.NewGroup("rpc_server")
	clientGroup = lens.NewGroup("rpc_client")
)

// Trace context goes through a client and a server, whether their groups are on or, as here, off.
func Example() {
	server := grpc.NewServer(append(lensgrpc.ServerOptions(serverGroup), grpc.ChainUnaryInterceptor(
		func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			fmt.Println(lens.RefFrom(ctx))
			return handler(ctx, req)
		}))...)
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()

	conn, err := grpc.NewClient(listener.Addr().String(),
		append(lensgrpc.DialOptions(clientGroup), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		fmt.Println(err)
		return
	}
	ref, _ := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	ctx := lens.WithParent(context.Background(), ref)
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}); err != nil {
		fmt.Println(err)
	}
	_ = conn.Close()
	server.Stop()
	if err := <-served; err != nil {
		fmt.Println(err)
	}
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}

// A filter says which calls are worth a span. It is asked only while the group is on.
func ExampleFilter() {
	_ = grpc.NewServer(lensgrpc.ServerOptions(serverGroup, lensgrpc.Filter(lensgrpc.NotHealth))...)

	fmt.Println(lensgrpc.NotHealth("/grpc.health.v1.Health/Check"), lensgrpc.NotHealth("/shop.Orders/Get"))
	// Output: false true
}

// The interceptors stand by themselves where a program has a chain of its own. What recovers panics comes before, so that
// they are on the span.
func ExampleUnaryServer() {
	interceptor := lensgrpc.UnaryServer(serverGroup)

	ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs("baggage", "tenant=blue"))
	_, _ = interceptor(ctx, nil, &grpc.UnaryServerInfo{FullMethod: "/shop.Orders/Get"},
		func(ctx context.Context, _ any) (any, error) {
			fmt.Println(lens.Baggage(ctx, "tenant"))
			return nil, nil
		})
	// Output: blue
}
