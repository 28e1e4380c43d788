package rollout

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// must stops the test by an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// port is an address that nobody else gets: a socket that does not listen holds it.
func port(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { syscall.Close(fd) })
	must(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	must(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	at, err := syscall.Getsockname(fd)
	must(t, err)
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}

// listen has an agent answer at an address, until it is closed.
func listen(t *testing.T, addr string, answer http.HandlerFunc) *http.Server {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	must(t, err)
	s := &http.Server{Handler: answer}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return s
}

// until waits for a text that somebody writes.
func until(t *testing.T, read func() string, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(read(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nothing says %q in %q", text, read())
		}
	}
}

// An agent whose port refuses connections while it is started again is waited for. What was in it when it died is tried again; what would
// have come to it has lost no attempt.
func TestRun_agent_comes_back(t *testing.T) {
	const rows, inside = 6, 2
	f := newFixture(t, inputRows(rows))
	var progress buffer
	f.o.Again, f.o.Concurrency, f.o.Progress, f.o.MaxAttempts = true, inside, &progress, 2
	addr := port(t)
	began, dead := make(chan struct{}, rows), make(chan struct{})
	first := listen(t, addr, func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		<-dead
	})
	c := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple_agent": "http://" + addr}})
	defer c.Close()
	done := f.background(t.Context(), f.prepare(), c)
	for range inside {
		receive(t, began, "a rollout")
	}
	first.Close()
	close(dead)
	until(t, progress.String, "Agent simple_agent refuses connections; it is waited for.")
	listen(t, addr, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"reward":1}`) })

	r := receive(t, done, "the end of the run")
	if s := r.summary; r.err != nil || s.Scored != rows || s.Failed != 0 || s.Again != inside || s.Missing != 0 {
		t.Errorf("%+v, %v", s, r.err)
	}
	failures := f.read("out/rollouts_failures.jsonl")
	if got := strings.Count(failures, `"`+semconv.FailureAgentRequest+`"`); got != inside {
		t.Errorf("%d failures that nobody answered, want %d: %s", got, inside, failures)
	}
}

// One that is waited for too long costs an attempt, and the next one is scored when it is there by then.
func TestRun_agent_comes_back_late(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.o.Again, f.o.MaxAttempts, f.o.patience = true, 1000, time.Nanosecond
	addr := port(t)
	c := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple_agent": "http://" + addr}})
	defer c.Close()
	done := f.background(t.Context(), f.prepare(), c)
	until(t, func() string { return f.read("out/rollouts_failures.jsonl") }, `"`+semconv.FailureAgentRequest+`"`)
	listen(t, addr, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"reward":1}`) })
	r := receive(t, done, "the end of the run")
	if s := r.summary; r.err != nil || s.Scored != 2 || s.Failed != 0 || s.Again == 0 {
		t.Errorf("%+v, %v", s, r.err)
	}
}
