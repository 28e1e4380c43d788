package wire

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come; it fails by it and measures nothing with it.
const patience = time.Minute

// newServer returns a server that logs nowhere.
func newServer(t testing.TB, o ServerOptions) *Server {
	t.Helper()
	if o.Name == "" {
		o.Name = "counter"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start serves s until the test ends and returns its URL.
func start(t testing.TB, s *Server) string {
	t.Helper()
	url, stop := startStoppable(t, s)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return url
}

// startStoppable serves s until stop is called.
func startStoppable(t testing.TB, s *Server) (url string, stop func() error) {
	t.Helper()
	ln := listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	return "http://" + ln.Addr().String(), sync.OnceValue(func() error {
		cancel()
		return <-done
	})
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// newClient returns a client for servers given as name, URL, name, URL ...
func newClient(t testing.TB, o ClientOptions, servers ...string) *Client {
	t.Helper()
	o.Servers = map[string]string{}
	for i := 0; i < len(servers); i += 2 {
		o.Servers[servers[i]] = servers[i+1]
	}
	c := NewClient(o)
	t.Cleanup(c.Close)
	return c
}

// do makes a call that must be answered.
func do(t testing.TB, c *Client, call Call) *Result {
	t.Helper()
	res, err := c.Do(context.Background(), call)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// receive waits for a value.
func receive[T any](t testing.TB, ch <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
	}
	return v
}

// record turns telemetry on with the groups of spec and returns what collects the spans.
func record(t testing.TB, spec string) *spans {
	t.Helper()
	rec := lenstest.Default(t)
	h, err := telemetry.Setup(context.Background(),
		telemetry.Config{Enabled: true, ServiceName: "wire-test", TracesEnabled: true, SpanGroups: spec},
		otelopt.WithSpanProcessor(rec.Processor()), otelopt.WithSpanExporter(tracetest.NewNoopExporter()))
	if errors.Is(err, telemetry.ErrCompiledOut) {
		t.Skip("needs spans: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &spans{rec}
}

// recordNothing turns all groups on, with spans that end nowhere.
func recordNothing(t testing.TB) {
	t.Helper()
	h, err := telemetry.Setup(context.Background(),
		telemetry.Config{Enabled: true, ServiceName: "wire-test", TracesEnabled: true, SpanGroups: "all"},
		otelopt.WithSpanExporter(tracetest.NewNoopExporter()))
	if errors.Is(err, telemetry.ErrCompiledOut) {
		t.Skip("needs spans: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// spans reads what was recorded.
type spans struct{ *lenstest.Recorder }

// wait returns all ended spans once there are n of them, and no more.
func (s *spans) wait(t testing.TB, n int) []lenstest.Span {
	t.Helper()
	got := s.Wait(t, n)
	if len(got) > n {
		t.Fatalf("%d spans ended, want %d:\n%s", len(got), n, s.Tree())
	}
	return got
}

// begun waits until n spans have begun.
func (s *spans) begun(t testing.TB, n int) {
	t.Helper()
	for end := time.Now().Add(patience); len(s.Open())+len(s.Spans()) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("want %d spans that have begun, there are:\n%s", n, s.Tree())
		}
	}
}

func names(all []lenstest.Span) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// named returns the spans of a name.
func named(all []lenstest.Span, name string) []lenstest.Span {
	return slices.DeleteFunc(slices.Clone(all), func(s lenstest.Span) bool { return s.Name != name })
}

func one(t testing.TB, all []lenstest.Span, name string) lenstest.Span {
	t.Helper()
	found := named(all, name)
	if len(found) != 1 {
		t.Fatalf("%d spans are named %q, want 1: %v", len(found), name, names(all))
	}
	return found[0]
}

// readAll reads what a raw connection says until its end.
func readAll(r io.Reader) string {
	b, _ := io.ReadAll(r)
	return string(b)
}
