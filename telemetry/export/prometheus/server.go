//go:build !lens_off

package prometheus

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/lensgo/lens/telemetry/internal/scrape"
)

// grace is how long a scrape that is under way may still take at the end of the program.
const grace = time.Second

// server is an endpoint with a port of its own.
type server struct {
	*endpoint
	source scrape.Source

	mu     sync.Mutex // guards what follows
	closed bool
	http   *http.Server
	addr   string
	target string        // the file that lists it; empty when there is none
	done   chan struct{} // closed when the port is given up
}

func newServer(e *endpoint, source scrape.Source) *server {
	return &server{endpoint: e, source: source}
}

// Serve listens, unless Shutdown was first.
func (s *server) Serve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	host, port, targets := scrape.Where(s.source.Log)
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		s.source.Log.Warn("telemetry: Prometheus cannot fetch the metrics of this process, which goes on without that. "+
			"Each process of a machine needs a port of its own: "+scrape.EnvPort+" gives it one, 0 a free one, and "+
			scrape.EnvTargets+" names a folder in which Prometheus finds all of them", "host", host, "port", port, "error", err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.page)
	s.http = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       5 * time.Minute, // Prometheus comes again by the same connection
		ErrorLog:          slog.NewLogLogger(s.source.Log.Handler(), slog.LevelDebug),
	}
	s.addr, s.done = l.Addr().String(), make(chan struct{})
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // until Shutdown
	}()
	s.source.Log.Info("telemetry: Prometheus can fetch the metrics of this process", "url", "http://"+s.addr+"/metrics")
	if targets != "" {
		s.list(targets)
	}
}

// list tells Prometheus where this process is.
func (s *server) list(dir string) {
	path, err := writeTarget(dir, s.addr, s.source.Resource)
	if err != nil {
		s.source.Log.Warn("telemetry: cannot list this process where "+scrape.EnvTargets+" says", "error", err)
		return
	}
	s.target = path
}

// Addr is where it listens.
func (s *server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Shutdown takes the process off the list and closes the port. Nothing is lost that an error would have to tell of.
func (s *server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.http == nil {
		return nil
	}
	if s.target != "" {
		_ = os.Remove(s.target)
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close()
	}
	<-s.done
	s.http = nil
	return nil
}
