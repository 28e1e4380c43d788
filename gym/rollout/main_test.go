package rollout

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come; it fails by it and measures nothing with it.
const patience = time.Minute

const graphText = `rs:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: rs}
other_agent:
  responses_api_agents:
    simple_agent: {entrypoint: app.py}
`

func testGraph(t testing.TB) *config.Graph {
	t.Helper()
	g, err := config.Decode([]byte(graphText))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// inputRows are rows 0 to n-1 for simple_agent.
func inputRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"responses_create_params":{"input":"hi"},"agent_ref":{"name":"simple_agent"},"n":%d}`+"\n", i)
	}
	return b.String()
}

// fixture is a folder with an input and the options for a run over it.
type fixture struct {
	testing.TB
	dir string
	o   Options
}

func newFixture(t testing.TB, input string) *fixture {
	t.Helper()
	f := &fixture{TB: t, dir: t.TempDir()}
	f.o = Options{
		Input: f.path("in.jsonl"), Output: f.path("out/rollouts.jsonl"), Graph: testGraph(t), DisableAggregation: true,
	}
	f.write("in.jsonl", input)
	return f
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, name) }

func (f *fixture) write(name, text string) {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
}

// read is a file's text, "" when there is none.
func (f *fixture) read(name string) string {
	f.Helper()
	b, err := os.ReadFile(f.path(name))
	if err != nil && !os.IsNotExist(err) {
		f.Fatal(err)
	}
	return string(b)
}

// rows are the lines of a file.
func (f *fixture) rows(name string) []responses.Object {
	f.Helper()
	var out []responses.Object
	e, err := scanRows(name, strings.NewReader(f.read(name)), func(_ jsonl.Line, o responses.Object) string {
		out = append(out, o.Clone())
		return ""
	})
	if err != nil || e.torn != 0 {
		f.Fatalf("%s: %d bytes torn, %v", name, e.torn, err)
	}
	return out
}

// keys are the task and rollout indexes of a file's rows, sorted.
func (f *fixture) keys(name string) []string {
	f.Helper()
	var out []string
	for _, o := range f.rows(name) {
		k, ok := keyOf(o)
		if !ok {
			f.Fatalf("%s: a row without indexes: %s", name, o.AppendTo(nil))
		}
		out = append(out, fmt.Sprintf("%d:%d", k.task, k.rollout))
	}
	slices.Sort(out)
	return out
}

func (f *fixture) prepare() *Plan {
	f.Helper()
	p, err := Prepare(f.o)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

// run prepares and runs; the run must end well.
func (f *fixture) run(a *agent) *Summary {
	f.Helper()
	s, err := f.prepare().Run(f.Context(), a.client(f))
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// agent stands in for every agent of the graph.
type agent struct {
	*httptest.Server

	// run answers one /run; nil answers reward 1.
	run func(w http.ResponseWriter, r *http.Request, row responses.Object)
	// aggregate answers /aggregate_metrics; nil answers an empty report.
	aggregate func(w http.ResponseWriter, body responses.Object)

	forget bool // keep no bodies

	mu  sync.Mutex
	got []string // bodies of /run, in order
}

func newAgent(t testing.TB) *agent {
	t.Helper()
	a := &agent{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		o, err := responses.ParseObject(body)
		if err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		switch r.URL.Path {
		case "/run":
			a.mu.Lock()
			if !a.forget {
				a.got = append(a.got, string(body))
			}
			a.mu.Unlock()
			if a.run == nil {
				fmt.Fprint(w, `{"reward":1.0}`)
				return
			}
			a.run(w, r, o)
		case "/aggregate_metrics":
			if a.aggregate == nil {
				fmt.Fprint(w, `{"group_level_metrics":[],"agent_metrics":{},"key_metrics":{}}`)
				return
			}
			a.aggregate(w, o)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// client calls every agent of the graph at this address.
func (a *agent) client(t testing.TB) *wire.Client {
	c := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple_agent": a.URL, "other_agent": a.URL}})
	t.Cleanup(c.Close)
	return c
}

func (a *agent) bodies() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.got)
}

// n is the number that inputRows gave the row.
func n(row responses.Object) int64 {
	i, _ := row.Int("n")
	return i
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

// running is a run in another goroutine.
type running struct {
	summary *Summary
	err     error
}

func (f *fixture) background(ctx context.Context, p *Plan, c *wire.Client) <-chan running {
	done := make(chan running, 1)
	go func() {
		s, err := p.Run(ctx, c)
		done <- running{s, err}
	}()
	return done
}

// buffer is a writer that may be read while others write.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
