//go:build unix

package fleet_test

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
)

// ask asks the head server by a name, and returns status and body.
func ask(t *testing.T, address, host, route string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+address+route, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestHead(t *testing.T) {
	for _, exposed := range []string{"false", "true"} {
		t.Run("exposed "+exposed, func(t *testing.T) {
			g := graph(t, "a echo")
			if err := g.Override(config.Overrides{Args: []string{"++head_server={port: 0, expose_secrets: " + exposed + "}"}}); err != nil {
				t.Fatal(err)
			}
			h, err := fleet.StartHead(g, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer h.Stop()
			for route, want := range map[string]int{
				"/": 200, "/livez": 200, "/readyz": 503, "/health": 503, "/healthz": 503, fleet.RouteConfig: 503, fleet.RouteInstances: 503, "/nothing": 404,
			} {
				if status, body := ask(t, h.Address(), "", route); status != want || want == 503 && body != `{"status":"starting"}` {
					t.Errorf("before the start: %s answers %d, %s", route, status, body)
				}
			}
			f := start(t, options(g))
			if err := h.Ready(g, f); err != nil {
				t.Fatal(err)
			}
			if status, _ := ask(t, h.Address(), "", "/readyz"); status != 200 {
				t.Errorf("/readyz answers %d", status)
			}
			got, err := fleet.HeadConfig(t.Context(), h.Address())
			if err != nil {
				t.Fatal(err)
			}
			if a := got.Instance("a"); a == nil || a.URL() != f.Servers()["a"] {
				t.Errorf("instance a is %+v", a)
			}
			if shown := strings.Contains(string(got.YAML()), "secret-4711"); shown != (exposed == "true") {
				t.Errorf("the key is shown: %v", shown)
			}
			list, err := fleet.HeadInstances(t.Context(), h.Address())
			if err != nil || len(list) != 1 || list[0].ProcessName != "a" || list[0].Name != "echo" || list[0].PID != f.PIDs()["a"] || list[0].Status != fleet.StatusUp {
				t.Errorf("instances are %+v, %v", list, err)
			}
			if status, _ := ask(t, h.Address(), "a.page.test", fleet.RouteConfig); status != http.StatusForbidden {
				t.Errorf("a page that calls it by another name gets %d", status)
			}
			f.Stop(t.Context())
			if list, err = fleet.HeadInstances(t.Context(), h.Address()); err != nil || list[0].Status != fleet.StatusDown {
				t.Errorf("after the stop: %+v, %v", list, err)
			}
		})
	}
}

func TestHeadTaken(t *testing.T) {
	g := graph(t, "a echo")
	g.SetHeadServer(config.HeadServer{Host: "127.0.0.1"})
	h, err := fleet.StartHead(g, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	if _, err := fleet.StartHead(g, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "++head_server.port=N") {
		t.Errorf("error is %v", err)
	}
	g.SetHeadServer(config.HeadServer{Host: "192.0.2.1"}) // an address of documentation, which this machine does not have
	if _, err := fleet.StartHead(g, slog.New(slog.DiscardHandler)); err == nil || strings.Contains(err.Error(), "++head_server.port=N") {
		t.Errorf("error is %v", err)
	}
}

func TestNoHead(t *testing.T) {
	g := graph(t, "a echo")
	g.SetHeadServer(config.HeadServer{Host: "127.0.0.1"})
	h, err := fleet.StartHead(g, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.Stop()
	if _, err := fleet.HeadConfig(t.Context(), h.Address()); !errors.Is(err, fleet.ErrNoHead) {
		t.Errorf("error is %v", err)
	}
}

// A fleet is found as long as its supervisor lives.
func TestState(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if list, err := fleet.States(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	s := fleet.State{Head: "127.0.0.1:4711", PID: os.Getpid(), Started: time.Now(), Config: []string{"c.yaml"}}
	forget, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	list, err := fleet.States()
	if err != nil || len(list) != 1 || list[0].Head != s.Head || list[0].PID != s.PID {
		t.Errorf("%+v, %v", list, err)
	}
	if s.Gone(0) {
		t.Error("it is said to be gone")
	}
	forget()
	if list, err := fleet.States(); err != nil || len(list) != 0 || !s.Gone(0) {
		t.Errorf("afterwards: %+v, %v", list, err)
	}
}

// What a killed supervisor left is passed over, by several that look at once too: its number may be another process's by now.
func TestState_left_by_the_dead(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var wrong atomic.Int64
	for range 300 {
		leaveState(t)
		var looking sync.WaitGroup
		for range 8 {
			looking.Go(func() {
				if list, err := fleet.States(); err != nil || len(list) != 0 {
					wrong.Add(1)
				}
			})
		}
		looking.Wait()
	}
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d times it was taken for running", n)
	}
}

// leaveState makes the file of a supervisor that was killed.
func leaveState(t *testing.T) {
	t.Helper()
	forget, err := fleet.State{Head: "127.0.0.1:4711", PID: os.Getpid()}.Record()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(os.Getenv("XDG_STATE_HOME"), "left.json")
	var left string
	err = filepath.WalkDir(os.Getenv("XDG_STATE_HOME"), func(at string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Base(at) == "127.0.0.1_4711.json" {
			left, err = at, os.Link(at, path)
		}
		return err
	})
	forget()
	if err := errors.Join(err, os.Rename(path, left)); err != nil {
		t.Fatal(err)
	}
}

// A home folder that several machines share shows each of them its own fleets: a number means another process elsewhere.
func TestState_of_another_machine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := fleet.State{Head: "127.0.0.1:4711", PID: os.Getpid()}
	for _, name := range []string{"one", "other"} {
		saved := *fleet.Machine
		*fleet.Machine = func() (string, error) { return name, nil }
		t.Cleanup(func() { *fleet.Machine = saved })
		if list, err := fleet.States(); err != nil || len(list) != 0 {
			t.Errorf("on %s runs %+v, %v", name, list, err)
		}
		forget, err := s.Record()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(forget)
		if list, err := fleet.States(); err != nil || len(list) != 1 {
			t.Errorf("on %s runs %+v, %v", name, list, err)
		}
	}
}

// A head server that others reach is told of, with what it shows them.
func TestHead_warning(t *testing.T) {
	for _, c := range []struct {
		override []string
		says     string
	}{
		{[]string{"++head_server.expose_secrets=true"}, ""},
		{[]string{"++head_server.host=0.0.0.0"}, "no authentication"},
		{[]string{"++head_server.host=0.0.0.0", "++head_server.expose_secrets=true"}, "with its keys and tokens"},
	} {
		g := graph(t, "a echo")
		if err := g.Override(config.Overrides{Args: append(c.override, "++head_server.port=0")}); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		h, err := fleet.StartHead(g, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		h.Stop()
		if text := log.String(); !strings.Contains(text, c.says) || (c.says == "") != (text == "") {
			t.Errorf("%v: %q", c.override, text)
		}
	}
}

// A host that others reach is said once.
func TestHostWarning(t *testing.T) {
	g := graph(t, "a echo", "b echo")
	if err := g.Override(config.Overrides{Args: []string{"+a.resources_servers.echo.host=0.0.0.0", "+b.resources_servers.echo.host=0.0.0.0"}}); err != nil {
		t.Fatal(err)
	}
	o := options(g)
	var notices []string
	o.Notice = func(text string) { notices = append(notices, text) }
	start(t, o)
	if len(notices) != 1 || !strings.Contains(notices[0], "no authentication") || !strings.Contains(notices[0], "0.0.0.0") {
		t.Errorf("notices are %q", notices)
	}
}
