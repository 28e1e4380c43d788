//go:build linux

package fleet_test

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A server that dies is started again on its listener, where connects wait meanwhile, until it has died too often.
func TestRestart(t *testing.T) {
	var mu sync.Mutex
	var notices []string
	o := options(graph(t, "a echo", "b echo"))
	o.MaxRestarts = 2
	o.Notice = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		notices = append(notices, text)
	}
	f := start(t, o)
	url := f.Servers()["a"]
	for kill := range 3 {
		pid := f.PIDs()["a"]
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		poll(t, "the death", func() bool { return dead(pid) })
		if len(f.Instances()) != 2 {
			t.Errorf("%d instances", len(f.Instances()))
		}
		if kill < 2 {
			get(t, url+"/") // whenever it comes, it is answered
			poll(t, "the next process", func() bool { return f.PIDs()["a"] != pid })
		}
	}
	select {
	case <-f.Done():
	case <-time.After(time.Minute):
		t.Fatal("the end was not noticed")
	}
	if err := f.Err(); !strings.Contains(err.Error(), "started again 2 times") || !strings.Contains(err.Error(), `server "a"`) {
		t.Errorf("error is %v", err)
	}
	poll(t, "the end of the listener", func() bool { return refused(t, url) })
	mu.Lock()
	defer mu.Unlock()
	if len(notices) != 2 || !strings.Contains(notices[0], "(1 of 2)") || !strings.Contains(notices[1], "(2 of 2)") {
		t.Errorf("notices are %q", notices)
	}
}

// A stop in the middle of restarts leaves nothing.
func TestStopWhileRestarting(t *testing.T) {
	o := options(graph(t, "a echo"))
	o.MaxRestarts = 1000
	f := start(t, o)
	pid := f.PIDs()["a"]
	syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it runs
	f.Stop(t.Context())
	if pid := f.PIDs()["a"]; !dead(pid) {
		t.Errorf("process %d still runs", pid)
	}
	if resp, err := http.Get(f.Servers()["a"]); err == nil {
		resp.Body.Close()
		t.Error("somebody answers")
	}
}

// The driver never has more connections to a server than that accepts: calls above that wait in the driver.
func TestClient_bounds(t *testing.T) {
	o := start(t, options(graph(t, "a echo"))).Client()
	if n := o.MaxConns["a"]; n <= 0 || o.MaxConnsPerHost < n {
		t.Errorf("bounds are %v and, for others, %d", o.MaxConns, o.MaxConnsPerHost)
	}
}
