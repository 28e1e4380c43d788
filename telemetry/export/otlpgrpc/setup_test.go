//go:build !lens_off

package otlpgrpc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens"
	lensmetrics "github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/lensslog"
)

// Whole set-ups before collectors in trouble, over each protocol, with all signals.

var protocols = []string{"http/protobuf", "grpc"}

// setUp exports all signals to a URL.
func setUp(t *testing.T, protocol, url string) *telemetry.Handle {
	t.Helper()
	setenv(t, "ENDPOINT="+url, "TRACES_PROTOCOL="+protocol, "METRICS_PROTOCOL="+protocol, "LOGS_PROTOCOL="+protocol, "TIMEOUT=0")
	c := telemetry.Default()
	c.Enabled, c.LogsEnabled = true, true
	h, err := telemetry.Setup(t.Context(), c, telemetry.WithLogger(quiet))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Shutdown(t.Context()) }) // an ended context: what a test has not shut down is not waited for
	return h
}

// useAll gives each signal something to export.
func useAll(t *testing.T) {
	t.Helper()
	ctx, span := lens.Start(t.Context(), "x")
	lensmetrics.Gym.ServersActive(ctx, 3)
	slog.New(lensslog.NewExporter(nil, nil)).InfoContext(ctx, "x")
	span.End()
}

// inTime fails the test when something does not end by itself.
func inTime(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("not within two minutes: %s", what)
	}
}

// SH-01: a collector that is not there, or takes a call and never answers, costs an exit no more than it allows, and one error.
func TestSetup_dead_collector(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, protocol := range protocols {
		for _, c := range []struct {
			name, url string
			budget    time.Duration
			deadline  bool
		}{
			{"is not there", "http://127.0.0.1:1", time.Hour, false}, // it does not use that up
			{"is silent", "http://" + silent.Addr().String(), 50 * time.Millisecond, true},
		} {
			t.Run(protocol+" "+c.name, func(t *testing.T) {
				h := setUp(t, protocol, c.url)
				useAll(t)
				ctx, cancel := context.WithTimeout(t.Context(), c.budget)
				defer cancel()
				inTime(t, "Shutdown", func() { err = h.Shutdown(ctx) })
				if err == nil || errors.Is(err, context.DeadlineExceeded) != c.deadline {
					t.Errorf("Shutdown: %v", err)
				}
				if s := h.Stats(); s.Ended != 1 || s.Dropped+s.Failed != 1 {
					t.Errorf("Stats %+v", s)
				}
			})
		}
	}
}

// listener notes the connections that are open at a server.
type listener struct {
	net.Listener
	mu   sync.Mutex
	open map[net.Conn]bool
	idle chan struct{} // gets something when the last has gone
}

func newListener(l net.Listener) *listener {
	return &listener{Listener: l, open: map[net.Conn]bool{}, idle: make(chan struct{}, 1)}
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	noted := &notedConn{Conn: conn, l: l}
	l.mu.Lock()
	l.open[noted] = true
	l.mu.Unlock()
	return noted, nil
}

type notedConn struct {
	net.Conn
	l *listener
}

func (c *notedConn) Close() error {
	c.l.mu.Lock()
	delete(c.l.open, c)
	if len(c.l.open) == 0 {
		select {
		case c.l.idle <- struct{}{}:
		default:
		}
	}
	c.l.mu.Unlock()
	return c.Conn.Close()
}

// serveOn serves one of the protocols on a listener, and gives each request to handle.
func serveOn(t *testing.T, protocol string, l net.Listener, handle func(ctx context.Context, path string, body []byte)) {
	t.Helper()
	if protocol == "grpc" {
		serveGRPC(t, l, func(ctx context.Context, c call) ([]byte, error) {
			handle(ctx, c.method, c.body)
			return nil, nil
		})
		return
	}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			handle(r.Context(), r.URL.Path, body)
		}
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
}

// SH-05: a shutdown with little time before a slow collector ends with it, says so, and leaves no connection behind.
func TestSetup_shutdown_before_a_slow_collector(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			raw, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			l := newListener(raw)
			serveOn(t, protocol, l, func(ctx context.Context, _ string, _ []byte) { <-ctx.Done() }) // until the client has gone
			h := setUp(t, protocol, "http://"+raw.Addr().String())
			useAll(t)
			flush, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_ = h.ForceFlush(flush) // connections are there, with requests on them
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			inTime(t, "Shutdown", func() { err = h.Shutdown(ctx) })
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Shutdown: %v", err)
			}
			inTime(t, "the end of the connections", func() {
				for open := 1; open > 0; {
					l.mu.Lock()
					open = len(l.open)
					l.mu.Unlock()
					if open > 0 {
						<-l.idle
					}
				}
			})
		})
	}
}

// SH-07: what ends before there is a collector, and while it starts anew, arrives once.
func TestSetup_late_collector(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			var mu sync.Mutex
			arrived := map[string]int{}
			d := newDoor(t)
			d.kill() // nobody is there yet
			serveOn(t, protocol, d, func(_ context.Context, path string, body []byte) {
				if path != otlp.Traces.Path && path != otlp.Traces.Call {
					return
				}
				var r coltracepb.ExportTraceServiceRequest
				if err := proto.Unmarshal(body, &r); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, rs := range r.ResourceSpans {
					for _, ss := range rs.ScopeSpans {
						for _, s := range ss.Spans {
							arrived[s.Name]++
						}
					}
				}
			})
			h := setUp(t, protocol, d.url())
			for round := range 2 {
				for i := range 50 {
					_, span := lens.Start(t.Context(), strconv.Itoa(50*round+i))
					span.End()
				}
				flushed := make(chan error, 1)
				go func() { flushed <- h.ForceFlush(t.Context()) }()
				d.awaitTry() // one has failed
				d.open()
				inTime(t, "ForceFlush", func() {
					if err := <-flushed; err != nil {
						t.Error(err)
					}
				})
				d.kill() // it starts anew
			}
			d.open()
			if err := h.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if s := h.Stats(); s.Ended != 100 || s.Exported != 100 {
				t.Errorf("Stats %+v", s)
			}
			mu.Lock()
			defer mu.Unlock()
			for i := range 100 {
				if n := arrived[strconv.Itoa(i)]; n != 1 {
					t.Errorf("span %d arrived %d times", i, n)
				}
			}
		})
	}
}
