//go:build unix

package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/wire"
)

// childEnv makes this test binary a server process of a fleet.
const childEnv = "FLEET_TEST_CHILD"

// connsEnv is the bound of connections to a resources server, in a server process.
const connsEnv = "FLEET_TEST_RESOURCES_CONNS"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		if n, err := strconv.Atoi(os.Getenv(connsEnv)); err == nil {
			*fleet.ResourcesConns = n
		}
		os.Exit(beChild())
	}
	os.Setenv(childEnv, "1")
	goleak.VerifyTestMain(m)
}

// roles are what this binary can be beside a server of a fleet, by its first argument.
var roles map[string]func(args []string) int

// beChild serves as `gym serve` does, with builders of the test.
func beChild() int {
	if len(os.Args) > 1 {
		if role := roles[os.Args[1]]; role != nil {
			return role(os.Args[2:])
		}
	}
	o := fleet.ServeOptions{Builders: builders, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	f := flag.NewFlagSet("child", flag.ExitOnError)
	f.StringVar(&o.Instance, "instance", "", "")
	f.IntVar(&o.ConfigFD, "config-fd", 0, "")
	f.IntVar(&o.ListenerFD, "listener-fd", 0, "")
	f.IntVar(&o.LifelineFD, "lifeline-fd", 0, "")
	if err := f.Parse(os.Args[1:]); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := fleet.Serve(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

var builders = map[string]fleet.Builder{
	"echo": func(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
		fmt.Println(`{"printed":"on standard output"}`)
		logger.Info("built", "name", in.Name)
		return wire.NewServer(wire.ServerOptions{Name: in.Name, Type: in.Type})
	},
	"broken": func(*config.Instance, *wire.Client, *slog.Logger) (*wire.Server, error) {
		return nil, errors.New("no such model: boom-17")
	},
	"caller": buildCaller, "counting": buildCounting,
	"stubborn": func(in *config.Instance, _ *wire.Client, _ *slog.Logger) (*wire.Server, error) {
		signal.Ignore(syscall.SIGTERM)
		return wire.NewServer(wire.ServerOptions{Name: in.Name, Type: in.Type})
	},
}

// graph loads a configuration of instances, each "name implementation".
func graph(t *testing.T, instances ...string) *config.Graph {
	t.Helper()
	var text strings.Builder
	for _, in := range instances {
		name, impl, _ := strings.Cut(in, " ")
		fmt.Fprintf(&text, "%s:\n  resources_servers:\n    %s:\n      entrypoint: app.py\n      domain: other\n      api_key: secret-4711\n", name, impl)
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := config.Load([]string{path}, config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func options(g *config.Graph) fleet.Options {
	return fleet.Options{Graph: g, Command: []string{os.Args[0]}}
}

func start(t *testing.T, o fleet.Options) *fleet.Fleet {
	t.Helper()
	f, err := fleet.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Stop(context.Background()) })
	return f
}

// dead tells that no process has this id any more. The fleet reaps its children, so an id does not linger.
func dead(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// syncBuffer is a buffer that several goroutines may write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestStartAndStop(t *testing.T) {
	var stdout, stderr syncBuffer
	o := options(graph(t, "a echo", "b echo"))
	o.Stdout, o.Stderr, o.LogDir = &stdout, &stderr, filepath.Join(t.TempDir(), "logs")
	f := start(t, o)
	for name, url := range f.Servers() {
		resp, err := http.Get(url + "/")
		if err != nil {
			t.Fatalf("%s does not answer: %v", name, err)
		}
		resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	f.Stop(t.Context())
	for name, pid := range f.PIDs() {
		if pid == 0 || !dead(pid) {
			t.Errorf("%s, process %d, still runs", name, pid)
		}
	}
	select {
	case <-f.Done():
		t.Errorf("a stop counts as a death: %v", f.Err())
	default:
	}
	if !strings.Contains(stdout.String(), `{"printed":"on standard output"}`+"\n") || strings.Contains(stdout.String(), "[a]") {
		t.Errorf("standard output of the servers is %q", &stdout)
	}
	if !strings.Contains(stderr.String(), "[a] ") || !strings.Contains(stderr.String(), "[b] ") {
		t.Errorf("the log has no prefixes: %q", &stderr)
	}
	log, err := os.ReadFile(filepath.Join(o.LogDir, "a.log"))
	if err != nil || !bytes.Contains(log, []byte("name=a")) || bytes.Contains(log, []byte("[a]")) {
		t.Errorf("the log file of a is %q, %v", log, err)
	}
}

func TestStartFailure(t *testing.T) {
	o := options(graph(t, "good echo", "bad broken"))
	_, err := fleet.Start(t.Context(), o)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`"bad"`, "boom-17", "exit status 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if url := o.Graph.Instance("good").URL(); !refused(t, url) {
		t.Errorf("the good server at %s was left running", url)
	}
}

func TestStartUnknownImplementation(t *testing.T) {
	_, err := fleet.Start(t.Context(), options(graph(t, "a nonsense")))
	if err == nil || !strings.Contains(err.Error(), `"nonsense" is not in this binary, which knows: broken, caller, counting, echo, stubborn`) {
		t.Errorf("error is %v", err)
	}
}

// A port that is taken is told with who has it, where that is another server of the run.
func TestStart_port_taken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for want, args := range map[string][]string{
		"something else runs there":     {"+a.resources_servers.echo.port=" + port},
		`server "b" has the same port;`: {"+a.resources_servers.echo.port=" + port, "+b.resources_servers.echo.port=" + port},
	} {
		g := graph(t, "a echo", "b echo")
		if err := g.Override(config.Overrides{Args: args}); err != nil {
			t.Fatal(err)
		}
		if _, err := fleet.Start(t.Context(), options(g)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}

func TestStartCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user went away"))
	_, err := fleet.Start(ctx, options(graph(t, "a echo")))
	if err == nil || !strings.Contains(err.Error(), "the user went away") {
		t.Errorf("error is %v", err)
	}
}

// A server that dies is reported with its last lines, and refuses connections at once instead of leaving them to hang.
func TestDeath(t *testing.T) {
	f := start(t, options(graph(t, "a echo", "b echo")))
	if err := syscall.Kill(f.PIDs()["a"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-f.Done():
	case <-time.After(time.Minute):
		t.Fatal("the death was not noticed")
	}
	for _, want := range []string{`server "a"`, "killed", "msg=built"} {
		if !strings.Contains(f.Err().Error(), want) {
			t.Errorf("the error does not say %q: %v", want, f.Err())
		}
	}
	if url := f.Servers()["a"]; !refused(t, url) {
		t.Errorf("the dead server at %s does not refuse", url)
	}
}

// refused connects once and tells whether the other side refused.
func refused(t *testing.T, url string) bool {
	t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), time.Minute)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

func TestStopKillsStubbornServers(t *testing.T) {
	o := options(graph(t, "a stubborn"))
	o.Grace = 50 * time.Millisecond
	f := start(t, o)
	f.Stop(t.Context())
	if pid := f.PIDs()["a"]; !dead(pid) {
		t.Errorf("process %d still runs", pid)
	}
}

// Keys of the configuration reach a server by the pipe alone.
func TestConfigurationStaysPrivate(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system has no /proc to look into")
	}
	f := start(t, options(graph(t, "a echo")))
	for _, file := range []string{"environ", "cmdline"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", f.PIDs()["a"], file))
		if err != nil || bytes.Contains(text, []byte("secret-4711")) {
			t.Errorf("%s shows the key, or cannot be read: %v", file, err)
		}
	}
}

// A configuration larger than a pipe's buffer and than one environment value may be.
func TestLargeConfiguration(t *testing.T) {
	o := options(graph(t, "a echo"))
	path := filepath.Join(t.TempDir(), "config.yaml")
	text := "note: " + strings.Repeat("x", 300<<10) + "\na:\n  resources_servers:\n    echo: {entrypoint: app.py, domain: other}\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.Graph, err = config.Load([]string{path}, config.Overrides{}); err != nil {
		t.Fatal(err)
	}
	start(t, o)
}

// Ports are kept from pick to bind: fleets that start at the same time never collide (GY-13). Five times here, `make soak` twenty.
func TestSoakStartsAtOnce(t *testing.T) {
	times := 5
	if os.Getenv("LENS_SOAK") != "" {
		times = 20
	}
	for range times {
		var wg sync.WaitGroup
		for range 20 {
			o := options(graph(t, "a echo"))
			wg.Go(func() {
				f, err := fleet.Start(t.Context(), o)
				if err != nil {
					t.Error(err)
					return
				}
				f.Stop(t.Context())
			})
		}
		wg.Wait()
	}
}
