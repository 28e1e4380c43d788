// Command tracecontext is the service that the W3C trace-context suite (https://github.com/w3c/trace-context, folder
// test) is run against. Its ingress and its egress are the product's own: lenshttp.Handler and lenshttp.Transport, with
// telemetry set up as in every Gym server.
//
//	go run ./gym/internal/conformance/tracecontext -listen 127.0.0.1:5000 &
//	SPEC_LEVEL=2 STRICT_LEVEL=2 python test.py http://127.0.0.1:5000/test
//
// It prints the URL of its endpoint on the first line of standard output, and then its spans, one JSON object a line. A
// request to that endpoint has a JSON array of {"url": U, "arguments": A} as its body; for each element, one after the
// other, A is posted to U with trace context in the headers. The answer is null, or 502 with the reason when a callback
// had no answer.
//
// It posts to any URL that it is told: it is for tests, on the loopback interface. SIGINT and SIGTERM stop it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/lenshttp"
)

// grace is how long requests and spans have when the service is stopped.
const grace = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("tracecontext", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:5000", "`address` to listen on; port 0 takes a free one")
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("cannot use argument %q: there are only flags", flags.Arg(0))
	}
	if err := settings(); err != nil {
		return err
	}
	handle, err := telemetry.Setup(ctx, telemetry.Identity{Server: "tracecontext", Type: "conformance"})
	if err != nil {
		return fmt.Errorf("cannot set telemetry up: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		err = errors.Join(err, handle.Shutdown(ctx))
	}()

	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", *listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", *listen, err)
	}
	fmt.Fprintf(stdout, "http://%s/test\n", ln.Addr())
	return serve(ctx, ln)
}

// settings turns telemetry on for this process, with the two groups of the edges and spans on standard output, save
// where the environment has other wishes.
func settings() error {
	for key, value := range map[string]string{
		"ENABLED":     "true",
		"SPAN_GROUPS": telemetry.Server.Name() + "," + telemetry.HTTPClient.Name(),
		"EXPORTER":    "console",
	} {
		key = telemetry.Prefix + "_" + key
		if os.Getenv(key) != "" {
			continue
		}
		if err := os.Setenv(key, value); err != nil {
			return fmt.Errorf("cannot set %s to %q: %w", key, value, err)
		}
	}
	return nil
}

// serve answers until ctx ends, and then lets running requests finish.
func serve(ctx context.Context, ln net.Listener) error {
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	caller := &caller{&http.Client{Transport: lenshttp.Transport(telemetry.HTTPClient, base), Timeout: grace}}
	mux := http.NewServeMux()
	mux.Handle("POST /test", caller)
	server := &http.Server{Handler: lenshttp.Handler(telemetry.Server, mux), ReadHeaderTimeout: grace}

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("cannot serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(ctx)
	<-failed
	return err
}
