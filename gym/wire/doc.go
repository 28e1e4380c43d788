// Package wire is the HTTP contract of Gym: the server base that every Gym server stands on, and the client that every
// call between them goes through.
//
// There is one way in and one way out. [Server] is the single ingress: it adopts the caller's trace context, opens the
// SERVER span, strips the rollout prefix, keeps the session and gives errors the shapes that Python's servers give them.
// [Client] is the single egress: it forwards cookies, opens the CLIENT span, writes the trace context and sends again
// what may safely be sent again. Rooms above write handlers and calls, and never meet net/http.
//
// A server and a call to it:
//
//	srv, err := wire.NewServer(wire.ServerOptions{Name: "counter"})
//	if err != nil {
//		return err
//	}
//	srv.Handle("POST /verify", func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
//		return wire.JSON(map[string]any{"reward": 1.0})
//	})
//	go srv.Serve(ctx, ln)
//
//	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"counter": "http://127.0.0.1:8001"}})
//	defer client.Close()
//	res, err := client.Do(ctx, wire.Call{Server: "counter", Path: "/verify", Body: []byte(`{}`)})
//	if err != nil {
//		return err // no answer came
//	}
//	if err := res.Err(); err != nil {
//		return err // an answer came, and it was not a 2xx
//	}
//
// # What a server promises
//
//   - The session cookie Gym___<name> stands on every reply, errors and health answers included. Callers keep only the
//     cookies of the last reply, so a server that sets its cookie once loses the session at the second call.
//   - /ng-rollout/<id> and /ng-rollout/<id>/training-token-capture before any path are stripped, whatever the route is;
//     see [RolloutID] and [TokenCapture].
//   - An unknown path answers 404, a wrong method 405, a body over the bound 413, wrong fields 422, all with a "detail"
//     member; any other error answers 500 with a JSON string that names this server and the cause.
//   - A handler's context ends when its client leaves, and when the server stops and the grace is over. A client that is
//     silent for a minute in the middle of a long body has left. A panic in a handler answers 500 and leaves the process
//     alive.
//   - The SERVER span is an error on a 5xx and on a panic only. The error texts that this package writes to spans
//     never hold a body ([SpanError]).
//
// # What a client promises
//
//   - A request is sent again when it cannot have reached the server (the connection was refused), within about two
//     seconds, and when it is a GET. A POST is never sent twice once a byte of it may have arrived.
//   - Cookies go out as they came in, byte by byte.
//   - The CLIENT span stands around one call with all its attempts and ends when the headers of the answer are there.
//   - The trace context is written whenever there is one, whether or not the groups of these spans are on. Calls that
//     leave the run ([Call].URL) do not carry the run's mark.
//   - When the context ends, so does the call, and its connection is closed.
//
// Connections are kept for 15 s by the client and for 30 s by the server, so that the client is the one who lets an idle
// connection go: a POST written to a connection that the server has just closed would fail, and must not be repeated.
//
// [Server] and [Client] are safe for concurrent use once routes are registered. With the groups server and http_client
// off, a hop costs what net/http costs and the copying of two headers.
package wire
