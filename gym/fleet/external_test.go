//go:build linux

package fleet_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/wire"
)

func init() {
	roles = map[string]func([]string) int{"guard": beGuard, "external": beExternal, "app.py": bePython, "parent": beParent, "sleeper": beSleeper}
}

// beGuard is `gym guard`.
func beGuard(args []string) int {
	var o fleet.GuardOptions
	f := flag.NewFlagSet("guard", flag.ExitOnError)
	f.IntVar(&o.LifelineFD, "lifeline-fd", 0, "")
	f.BoolVar(&o.Interrupt, "interrupt", false, "")
	f.Parse(args) //nolint:errcheck // it exits
	o.Command = f.Args()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	code, err := fleet.Guard(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// beExternal is a server of another program: it reads the configuration as such a one does, and starts what outlives it.
func beExternal([]string) int {
	g, err := config.Decode([]byte(os.Getenv(fleet.EnvConfigDict)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	in := g.Instance(os.Getenv(fleet.EnvConfigPath))
	if in == nil {
		fmt.Fprintln(os.Stderr, "there is no such instance")
		return 1
	}
	others := beget()
	fmt.Println("external server of", in.Name)
	http.HandleFunc("GET /pids", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getpid(), " ", others) })
	http.HandleFunc("GET /env", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, os.Getenv(r.URL.RawQuery)) })
	counted := &counter{all: make(chan struct{})}
	http.HandleFunc("POST /at_once", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		patience, _ := strconv.Atoi(string(text))
		fmt.Fprint(w, counted.count(time.Duration(patience)))
	})
	http.HandleFunc("GET /{$}", func(http.ResponseWriter, *http.Request) {})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(net.JoinHostPort(in.Host, strconv.Itoa(in.Port)), nil))
	return 1
}

// bePython is the interpreter of a Python server that says goodbye when it is interrupted, and does not hear SIGTERM.
func bePython(args []string) int {
	signal.Ignore(syscall.SIGTERM)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go beExternal(args)
	<-interrupted
	fmt.Println("goodbye")
	return 0
}

// beParent says which processes there are, ignores what asks it to end, and stays.
func beParent([]string) int {
	signal.Ignore(syscall.SIGTERM)
	fmt.Println(os.Getpid(), beget())
	sleep()
	return 0
}

// sleep is for ever by the measure of a test. An empty select would be a deadlock to Go where there is no cgo, and the end.
func sleep() { time.Sleep(time.Hour) }

// beget starts a process in a session of its own whose parent is gone by the time that this returns.
func beget() (pid int) {
	cmd := exec.Command(os.Args[0], "sleeper", "twice")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		panic(err)
	}
	pid, _ = strconv.Atoi(strings.TrimSpace(string(out)))
	return pid
}

// beSleeper leaves another sleeper behind and ends, or sleeps for ever.
func beSleeper(args []string) int {
	if len(args) == 0 {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		sleep()
	}
	cmd := exec.Command(os.Args[0], "sleeper")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Println(cmd.Process.Pid)
	return 0
}

// poll asks until it is true, at most a minute.
func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

// get asks a server and returns the body.
func get(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// withExternal are options of a fleet with a server of ours, a, and one of another program, x.
func withExternal(t *testing.T, command string) fleet.Options {
	t.Helper()
	g := graph(t, "a echo", "x foreign")
	if err := g.Override(config.Overrides{Args: []string{"+x.resources_servers.foreign.external.command=" + command}}); err != nil {
		t.Fatal(err)
	}
	o := options(g)
	o.Guard, o.Implementations = []string{os.Args[0], "guard"}, []string{"echo"}
	return o
}

// An external server gets the configuration and the port, and whatever it leaves is gone after the stop.
func TestExternal(t *testing.T) {
	t.Setenv("NEMO_GYM_OTEL_SPAN_GROUPS", "default,-job,theirs")
	o := withExternal(t, "["+os.Args[0]+",external]")
	var log syncBuffer
	o.Stderr = &log
	f := start(t, o)
	url := f.Servers()["x"]
	pids := get(t, url+"/pids")
	if spec := get(t, url+"/env?NEMO_GYM_OTEL_SPAN_GROUPS"); spec != fleet.ForeignSpec("default,-job,theirs") {
		t.Errorf("the spec is %q", spec)
	}
	if err := f.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	for _, text := range strings.Fields(pids) {
		pid, err := strconv.Atoi(text)
		if err != nil || pid == 0 || !dead(pid) {
			t.Errorf("process %q still runs (%v)", text, err)
		}
	}
	if !strings.Contains(log.String(), "[x] external server of x\n") {
		t.Errorf("the log is %q", &log)
	}
}

// A Python server is asked to end as its own supervisor asks it, and gets the base of the services' names as from there.
func TestExternalPython(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "")
	os.Unsetenv("OTEL_SERVICE_NAME")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g := graph(t, "x foreign")
	if err := g.Override(config.Overrides{Args: []string{
		"+x.resources_servers.foreign.external.python=" + os.Args[0], "+x.resources_servers.foreign.external.dir=" + dir,
	}}); err != nil {
		t.Fatal(err)
	}
	o := options(g)
	o.Guard, o.Implementations = []string{os.Args[0], "guard"}, []string{"echo"}
	var log syncBuffer
	o.Stderr = &log
	f := start(t, o)
	if name := get(t, f.Servers()["x"]+"/env?OTEL_SERVICE_NAME"); name != "nemo-gym" {
		t.Errorf("the service's name is based on %q", name)
	}
	if err := f.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "[x] goodbye\n") {
		t.Errorf("the log is %q", &log)
	}
}

// A program that ends at once is reported as a server of ours would be.
func TestExternalFails(t *testing.T) {
	for name, c := range map[string]struct{ command, want string }{
		"ends":    {"[sh,-c,'echo boom-23 >&2; exit 7']", "exit status 7"},
		"nothing": {"[/no/such/program]", "/no/such/program"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fleet.Start(t.Context(), withExternal(t, c.command))
			if err == nil || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// A Linux process cannot be given a larger value than 128 KiB, which is said with the number.
func TestExternalLargeConfiguration(t *testing.T) {
	o := withExternal(t, "[cat]")
	if err := o.Graph.Override(config.Overrides{Args: []string{"++note=" + strings.Repeat("x", 140<<10)}}); err != nil {
		t.Fatal(err)
	}
	_, err := fleet.Start(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "Linux allows 131072") {
		t.Errorf("error is %v", err)
	}
}

// When the supervisor is gone, so is everything below a guard, in sessions of its own too, and whatever ignores SIGTERM.
func TestGuardLifeline(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command(os.Args[0], "guard", "--lifeline-fd", "3", "--", os.Args[0], "parent")
	cmd.ExtraFiles = []*os.File{r}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended when all went well
	r.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	cmd.Wait() //nolint:errcheck // it was killed
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit code %d", code)
	}
	for _, text := range strings.Fields(line) {
		pid, _ := strconv.Atoi(text)
		if pid == 0 || !dead(pid) {
			t.Errorf("process %q still runs", text)
		}
	}
	if len(strings.Fields(line)) != 2 {
		t.Errorf("processes are %q, want two", line)
	}
}

// A guard that is killed takes the program with it.
func TestGuardKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0], "guard", "--", os.Args[0], "parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var program, left int
	if _, err := fmt.Fscan(out, &program, &left); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(left, syscall.SIGKILL) //nolint:errcheck // what the program left behind is nobody's now
	cmd.Process.Kill()                        //nolint:errcheck // Wait tells
	cmd.Wait()                                //nolint:errcheck // it was killed
	poll(t, "the end of the program", func() bool { return dead(program) || zombie(program) })
}

// zombie tells whether a process has ended and waits for somebody to notice.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	return strings.HasPrefix(string(stat[strings.LastIndexByte(string(stat), ')'):]), ") Z")
}

// Ports of external servers are held until they bind them: nobody who asks for any port gets one.
func TestExternalPortsAtOnce(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		f := start(t, withExternal(t, "["+os.Args[0]+",external]"))
		url := f.Servers()["x"]
		if seen[url] {
			t.Errorf("%s twice", url)
		}
		seen[url] = true
	}
}

func TestCheckImplementations(t *testing.T) {
	o := withExternal(t, "[cat]")
	if err := fleet.CheckImplementations(o.Graph, o.Implementations, nil); err != nil {
		t.Error(err)
	}
	err := fleet.CheckImplementations(graph(t, "a ecoh"), []string{"echo"}, nil)
	if err == nil || !strings.Contains(err.Error(), `no implementation "ecoh"`) {
		t.Errorf("error is %v", err)
	}
	g := graph(t, "x foreign")
	if err := g.Override(config.Overrides{Args: []string{"+x.resources_servers.foreign.external={}"}}); err != nil {
		t.Fatal(err)
	}
	err = fleet.CheckImplementations(g, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot find the Python server resources_servers/foreign/app.py") {
		t.Errorf("error is %v", err)
	}
}

// TestCheckSettings shows that every server of this program is built, and none of another one.
func TestCheckSettings(t *testing.T) {
	g := graph(t, "a echo", "b echo", "x echo")
	if err := g.Override(config.Overrides{Args: []string{"+x.resources_servers.echo.external.command=[cat]"}}); err != nil {
		t.Fatal(err)
	}
	refuse := func(in *config.Instance, _ *wire.Client, _ *slog.Logger) (*wire.Server, error) {
		return nil, errors.New("no " + in.Name)
	}
	_, err := fleet.CheckSettings(g, map[string]fleet.Builder{"echo": refuse}, nil)
	want := "cannot build server \"a\" (echo): no a\ncannot build server \"b\" (echo): no b"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// Servers that are fused call one of another program, which has a port; it cannot call them, which have none.
func TestFused_external(t *testing.T) {
	fused := func(more ...string) fleet.Options {
		g := graph(t, "caller caller", "x foreign")
		if err := g.Override(config.Overrides{Args: append(more, "+x.resources_servers.foreign.external.command=["+os.Args[0]+",external]")}); err != nil {
			t.Fatal(err)
		}
		o := fuse(options(g))
		o.Guard, o.Implementations = []string{os.Args[0], "guard"}, []string{"caller"}
		return o
	}
	f := start(t, fused())
	if got, want := asks(t, f, time.Minute), strconv.Itoa(calls); got != want {
		t.Errorf("there were %s requests at once, want %s", got, want)
	}
	if urls := f.Servers(); len(urls) != 1 || urls["x"] == "" {
		t.Errorf("servers with a port are %v, want x", urls)
	}
	_, err := fleet.Start(t.Context(), fused("+x.resources_servers.foreign.resources_server={type: resources_servers, name: caller}"))
	if err == nil || !strings.Contains(err.Error(), `"x" is a process of its own and calls "caller"`) {
		t.Errorf("error is %v", err)
	}
}

// What a guard starts may have as many open files as there can be: Go's own children get the limit that their parent was started with.
func TestGuard_descriptors(t *testing.T) {
	out, err := exec.Command("sh", "-c", `ulimit -Sn 200 && ulimit -Hn 900 && exec "$0" guard -- sh -c 'ulimit -Sn && ulimit -Hn'`, os.Args[0]).Output()
	if err != nil || string(out) != "900\n900\n" {
		t.Errorf("the limits are %q, %v", out, err)
	}
}
