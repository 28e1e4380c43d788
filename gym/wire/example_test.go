package wire_test

import (
	"context"
	"fmt"
	"net"

	"github.com/lensgo/lens/gym/wire"
)

// A server with one route, and two calls to it in one session.
func Example() {
	srv, err := wire.NewServer(wire.ServerOptions{Name: "counter"})
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := map[string]int{} // by session
	srv.Handle("POST /increment", func(_ context.Context, r *wire.Request) (*wire.Reply, error) {
		counts[r.Session]++
		return wire.JSON(map[string]int{"count": counts[r.Session]})
	})

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, ln) }()

	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"counter": "http://" + ln.Addr().String()}})
	var cookies wire.Cookies
	for _, path := range []string{"/increment", "/increment", "/decrement"} {
		res, err := client.Do(ctx, wire.Call{Server: "counter", Path: path, Body: []byte("{}"), Cookies: cookies})
		if err != nil {
			fmt.Println(err)
			return
		}
		cookies = res.Cookies
		fmt.Println(res.Status, string(res.Body))
	}
	client.Close()
	stop()
	fmt.Println(<-done)
	// Output:
	// 200 {"count":1}
	// 200 {"count":2}
	// 404 {"detail":"Not Found"}
	// <nil>
}
