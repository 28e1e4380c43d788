//go:build unix

package fleet_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/wire"
)

// calls are how many requests a "caller" makes at once.
const calls = 12

// buildCaller is a server that asks the server "x" many times at once, and says how many requests that saw at once.
func buildCaller(in *config.Instance, client *wire.Client, _ *slog.Logger) (*wire.Server, error) {
	s, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: in.Type})
	if err != nil {
		return nil, err
	}
	s.Handle("POST /ask", func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		var most [calls]int
		var errs [calls]error
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() { most[i], errs[i] = askAtOnce(ctx, client, r.Body) })
		}
		wg.Wait()
		n := 0
		for i := range calls {
			if errs[i] != nil {
				return nil, errs[i]
			}
			n = max(n, most[i])
		}
		return wire.JSON(n)
	})
	return s, nil
}

func askAtOnce(ctx context.Context, client *wire.Client, patience []byte) (int, error) {
	answer, err := client.Do(ctx, wire.Call{Server: "x", Path: "/at_once", Body: patience})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(answer.Body))
}

// counter counts the requests that it has at once. Each waits for all others, as long as it is told.
type counter struct {
	mu        sync.Mutex
	now, most int
	all       chan struct{} // closed when all are there
}

func (c *counter) count(patience time.Duration) int {
	c.mu.Lock()
	c.now++
	if c.most = max(c.most, c.now); c.now == calls {
		close(c.all)
	}
	c.mu.Unlock()
	select {
	case <-c.all:
	case <-time.After(patience):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	return c.most
}

// buildCounting is a server that answers how many requests it had at once.
func buildCounting(in *config.Instance, _ *wire.Client, _ *slog.Logger) (*wire.Server, error) {
	s, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: in.Type})
	if err != nil {
		return nil, err
	}
	c := &counter{all: make(chan struct{})}
	s.Handle("POST /at_once", func(_ context.Context, r *wire.Request) (*wire.Reply, error) {
		patience, err := strconv.Atoi(string(r.Body))
		if err != nil {
			return nil, err
		}
		return wire.JSON(c.count(time.Duration(patience)))
	})
	return s, nil
}

// asks has the caller ask, and gives how many requests there were at once: those that x has got wait so long for the others.
func asks(t *testing.T, f *fleet.Fleet, patience time.Duration) string {
	t.Helper()
	client := wire.NewClient(f.Client())
	defer client.Close()
	answer, err := client.Do(t.Context(), wire.Call{Server: "caller", Path: "/ask", Body: strconv.AppendInt(nil, int64(patience), 10)})
	if err != nil {
		t.Fatal(err)
	}
	return string(answer.Body)
}

// fuse makes options fused, with only the caller in this process.
func fuse(o fleet.Options) fleet.Options {
	o.Fused, o.Builders = true, map[string]fleet.Builder{"caller": buildCaller}
	return o
}

// Those that call a resources server have a bound of connections to it, whatever else they may have.
func TestResourcesConns(t *testing.T) {
	if *fleet.ResourcesConns != 2048 {
		t.Errorf("the bound is %d", *fleet.ResourcesConns)
	}
	t.Setenv(connsEnv, "1")
	defer func(was int) { *fleet.ResourcesConns = was }(*fleet.ResourcesConns)
	*fleet.ResourcesConns = 1
	for name, o := range map[string]fleet.Options{
		"processes": options(graph(t, "caller caller", "x counting")),
		"fused":     fuse(options(graph(t, "caller caller", "x counting"))),
	} {
		t.Run(name, func(t *testing.T) {
			if got := asks(t, start(t, o), 50*time.Millisecond); got != "1" {
				t.Errorf("there were %s requests at once, want 1", got)
			}
		})
	}
}

// Below the bound all come at once, from a server of this process too, which calls those of others by their ports.
func TestResourcesConns_below(t *testing.T) {
	for name, o := range map[string]fleet.Options{
		"processes": options(graph(t, "caller caller", "x counting")),
		"fused":     fuse(options(graph(t, "caller caller", "x counting"))),
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := asks(t, start(t, o), time.Minute), strconv.Itoa(calls); got != want {
				t.Errorf("there were %s requests at once, want %s", got, want)
			}
		})
	}
}

// A process cannot call a server of this one, which has no port, and that is said before any is built.
func TestFused_callers(t *testing.T) {
	path := t.TempDir() + "/config.yaml"
	if err := os.WriteFile(path, []byte(`
caller: {resources_servers: {caller: {entrypoint: app.py, domain: other}}}
asks_it:
  resources_servers:
    counting:
      entrypoint: app.py
      domain: other
      resources_server: {type: resources_servers, name: caller}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := config.Load([]string{path}, config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	o := fuse(options(g))
	o.Builders["caller"] = func(*config.Instance, *wire.Client, *slog.Logger) (*wire.Server, error) {
		t.Error("the caller was built")
		return nil, fmt.Errorf("not here")
	}
	f, err := fleet.Start(t.Context(), o)
	if err == nil {
		f.Stop(t.Context())
	}
	const want = `cannot fuse: "asks_it" is a process of its own and calls "caller", which would have no port; run without --fused`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %q", err, want)
	}
	if url := g.Instance("asks_it").URL(); !refused(t, url) {
		t.Errorf("the server at %s was left running", url)
	}
}
